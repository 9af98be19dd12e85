import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { installJar, refuseOtherJar, zipkinProgram } from "./zipkin.ts";

test("a jar of which a byte has changed is not started, and the message says what to do", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "zipkin-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const jar = join(folder, "zipkin.jar");
  const pinned = createHash("sha256").update("the jar").digest("hex");
  writeFileSync(jar, "the jar");
  await refuseOtherJar(jar, pinned, "remove it");
  writeFileSync(jar, "the jaz");
  await assert.rejects(refuseOtherJar(jar, pinned, "remove it"), {
    message: `Zipkin is not started, because ${jar} is not the pinned one: remove it.`,
  });
});

test("a fetched jar that is not the pinned one leaves no folder behind, nor does a fetch that fails", async (t) => {
  const parent = mkdtempSync(join(tmpdir(), "zipkin-"));
  t.after(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, "zipkin");
  const pinned = createHash("sha256").update("the jar").digest("hex");
  const fetched = (content: string) => async (partial: string) => {
    mkdirSync(partial);
    writeFileSync(join(partial, "zipkin-server-3.6.1-slim.jar"), content);
  };
  await assert.rejects(
    installJar(folder, pinned, fetched("the jaz")),
    /is not the pinned one: it was removed/,
  );
  const broken = async (partial: string) => {
    mkdirSync(partial);
    throw new Error("the network is away");
  };
  await assert.rejects(installJar(folder, pinned, broken), /the network is away/);
  assert.deepEqual(readdirSync(parent), []);
  await installJar(folder, pinned, fetched("the jar"));
  assert.deepEqual(readdirSync(parent), ["zipkin"]);
});

test("Zipkin gets nothing of the environment but what Java needs", () => {
  process.env["STORAGE_TYPE"] = "elasticsearch";
  const { env } = zipkinProgram({ java: "java", jar: "j", port: 1 });
  delete process.env["STORAGE_TYPE"];
  assert.deepEqual(Object.keys(env), ["PATH", "HOME"]);
});
