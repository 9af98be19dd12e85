import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { listen, setEnvironment } from "@faceline/models/testing/local-server";
import { temporaryFolder } from "@faceline/models/testing/temporary-folder";
import { sha256 } from "@faceline/models/model-file";
import { fetchJars } from "./jars.ts";

// Made-up jars from a repository on this machine, on a PATH that has no Maven.
const jars = { "org/a/1/a-1.jar": "aaaa", "org/b/2/b-2.jar": "bbbb" };

test("without Maven the jars come from the mirror of its settings, once", async (t) => {
  const { options, requests } = await openRepository(t);
  assert.match(await fetchJars(options), /^fetched from 127\.0\.0\.1:\d+$/);
  assert.deepEqual(requests.toSorted(), ["/maven/org/a/1/a-1.jar", "/maven/org/b/2/b-2.jar"]);
  assert.deepEqual(readdirSync(options.folder).toSorted(), ["a-1.jar", "b-2.jar", "complete"]);
  assert.equal(readFileSync(join(options.folder, "b-2.jar"), "utf8"), "bbbb");
  assert.equal(await fetchJars(options), "present");
  assert.equal(requests.length, 2);
});

test("a jar that is not the pinned one is refused, and nothing is installed", async (t) => {
  const { options } = await openRepository(t, { "org/b/2/b-2.jar": "bbbc" });
  await assert.rejects(fetchJars(options), {
    message: /^127\.0\.0\.1:\d+ sent a different file: its SHA-256 does not match\.$/,
  });
  assert.deepEqual(
    readdirSync(join(options.folder, "..")).filter((name) => name.startsWith("libs")),
    [],
  );
});

test("without a network there is a sentence", async (t) => {
  const { options, close } = await openRepository(t);
  await close();
  await assert.rejects(fetchJars(options), {
    message: /^127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\): check the network and HTTPS_PROXY\.$/,
  });
});

test("a program with a changed, missing or unknown jar is not started, and the message says what to do", async (t) => {
  const { options } = await openRepository(t);
  await fetchJars(options);
  writeFileSync(join(options.folder, "a-1.jar"), "aaab");
  const message = (fault: string) =>
    `Made-up is not started, because the jars in ${options.folder} are not the pinned ones (${fault}): ` +
    "remove that folder, and the next start downloads them again.";
  await assert.rejects(fetchJars(options), { message: message("changed a-1.jar") });
  rmSync(join(options.folder, "b-2.jar"));
  await assert.rejects(fetchJars(options), { message: message("changed a-1.jar and 1 more") });
  rmSync(options.folder, { recursive: true });
  await fetchJars(options);
  writeFileSync(join(options.folder, "c.JAR"), "");
  await assert.rejects(fetchJars(options), { message: message("unknown c.JAR") });
});

async function openRepository(t: TestContext, changed: Record<string, string> = {}) {
  const home = await temporaryFolder(t);
  const pins = join(home, "pins");
  mkdirSync(pins);
  writeFileSync(join(pins, "pom.xml"), "<project/>");
  const lines = Object.entries(jars).map(([path, content]) => `${sha256(Buffer.from(content))}  ${path}\n`);
  writeFileSync(join(pins, "jars.sha256"), lines.join(""));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url!);
    const served: Record<string, string> = { ...jars, ...changed };
    response.end(served[request.url!.replace("/maven/", "")]);
  });
  const { host, close } = await listen(t, server);
  const settings = `<mirrors><!-- <mirror><mirrorOf>*</mirrorOf><url>http://x/</url></mirror> -->
    <mirror><mirrorOf>other</mirrorOf><url>http://y/</url></mirror>
    <mirror><url> http://${host}/maven/ </url><mirrorOf>other, central</mirrorOf></mirror></mirrors>`;
  mkdirSync(join(home, ".m2"));
  writeFileSync(join(home, ".m2", "settings.xml"), settings);
  setEnvironment(t, { HOME: home, PATH: "/nowhere", HTTP_PROXY: undefined, http_proxy: undefined });
  const stop = new AbortController().signal;
  const options = { name: "Made-up", pins, folder: join(home, "libs"), stop };
  return { options, requests, close };
}
