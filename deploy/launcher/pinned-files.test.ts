import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { jarFaults, readHashes } from "./pinned-files.ts";

test("a changed byte, a missing jar and a jar too many are found", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "pinned-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const contents = { "a.jar": "aaaa", "b.jar": "bbbb" };
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);
  const pinned = new Map(Object.entries(contents).map(([name, content]) => [name, sha256(content)]));
  assert.deepEqual(await jarFaults(folder, pinned), []);

  writeFileSync(join(folder, "b.jar"), "bbbc");
  writeFileSync(join(folder, "c.JAR"), "");
  pinned.set("d.jar", sha256("dddd"));
  assert.deepEqual(await jarFaults(folder, pinned), ["changed b.jar", "unknown c.JAR", "missing d.jar"]);
});

test("a list of hashes is read as sha256sum prints it, and nothing else is", () => {
  const hash = sha256("");
  assert.deepEqual(
    readHashes(`${hash}  a.jar\n${hash} *b c.jar\n`),
    new Map([
      ["a.jar", hash],
      ["b c.jar", hash],
    ]),
  );
  assert.throws(() => readHashes("a.jar\n"), /Not a line of sha256sum: a\.jar/);
});

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");
