import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fetchKafkaJars, javaMajor } from "./kafka-install.ts";
import { repository } from "./state-folder.ts";

test("the major version of Java is read in the old and the new format", () => {
  assert.equal(javaMajor('openjdk version "17.0.15" 2025-04-15'), 17);
  assert.equal(javaMajor('openjdk version "21" 2023-09-19'), 21);
  assert.equal(javaMajor('java version "1.8.0_392"'), 8);
  assert.equal(javaMajor("something else"), undefined);
});

test("a broker with a changed or missing jar is not started, and the message says what to do", async (t) => {
  const libs = mkdtempSync(join(tmpdir(), "libs-"));
  t.after(() => rmSync(libs, { recursive: true }));
  const pins = createHash("sha256");
  for (const name of ["pom.xml", "jars.sha256"])
    pins.update(readFileSync(join(repository, "deploy/kafka", name)));
  writeFileSync(join(libs, "complete"), pins.digest("hex"));
  writeFileSync(join(libs, "HdrHistogram-2.2.2.jar"), "another content");
  await assert.rejects(fetchKafkaJars(libs, new AbortController().signal), (error: Error) => {
    assert.match(error.message, /^Kafka is not started, because the jars in .* are not the pinned ones/);
    assert.match(error.message, /changed HdrHistogram-2\.2\.2\.jar, missing .* and \d+ more\)/);
    assert.match(error.message, /remove that folder, and the next start downloads them again\.$/);
    return true;
  });
});
