// Covers web/src/docs/reference/snippets.ts, as the service answers.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { readCatalogue } from "@faceline/models/catalogue";
import { base64Image, facesAnswer, testKey, testServer } from "../testing/server.ts";
import { apiDocument } from "@faceline/web/docs/api-document";
import type { CallLanguage } from "@faceline/web/docs/code-block";
import { exampleCall, listOperations } from "@faceline/web/docs/reference/example-call";
import { callSnippets } from "@faceline/web/docs/reference/snippets";

const face = facesAnswer(Array.from({ length: 128 }, (_, i) => (i === 0 ? 1 : 0)));
const { app } = testServer(
  { after, diagnostic: console.error },
  { catalogue: await readCatalogue(), dispatch: async ({ images }) => images.map(() => face) },
);
const origin = await app.listen({ host: "127.0.0.1", port: 0 });

const folder = mkdtempSync(join(tmpdir(), "snippets-"));
after(() => rmSync(folder, { recursive: true }));
const image = Buffer.from(await base64Image(), "base64");
for (const name of ["first.jpg", "second.jpg", "third.jpg"]) writeFileSync(join(folder, name), image);

const programs: Record<CallLanguage, { file: string; command: string; needs: string[] }> = {
  curl: { file: "call.sh", command: "sh", needs: ["curl", "--version"] },
  python: { file: "call.py", command: "python3", needs: ["python3", "-c", "import requests"] },
  typescript: { file: "call.mts", command: process.execPath, needs: [process.execPath, "--version"] },
};

for (const [language, { file, command, needs }] of Object.entries(programs)) {
  const missing = isMissing(needs) && `needs ${needs.join(" ")}`;
  for (const listed of listOperations(apiDocument)) {
    test(`${language}: the example of ${listed.path} gets its answer`, { skip: missing }, async () => {
      const call = exampleCall(apiDocument, listed, { origin, keysNeeded: true });
      const code = callSnippets(call)[language as CallLanguage];
      writeFileSync(join(folder, file), code);
      const { stdout } = await run(command, [file], {
        cwd: folder,
        env: { ...process.env, FACELINE_KEY: testKey, NO_PROXY: "127.0.0.1", NO_COLOR: "1" },
      });
      const { content } = listed.operation.responses["200"] as { content: object };
      assert.ok(content);
      assert.match(stdout, expectedIn[listed.path]!, `${code}\n\n${stdout}`);
    });
  }
}

test("a service without keys has examples without keys", () => {
  const [verify] = listOperations(apiDocument);
  const snippets = callSnippets(exampleCall(apiDocument, verify!, { origin, keysNeeded: false }));
  for (const code of Object.values(snippets)) assert.doesNotMatch(code, /key/i);
});

/** A field of each answer. */
const expectedIn: Record<string, RegExp> = {
  "/verify": /verified/,
  "/represent": /embedding/,
  "/compare": /best_match/,
  "/capabilities": /distance_metrics/,
  "/health": /checks/,
  "/livez": /status/,
  "/readyz": /status/,
  "/openapi.json": /openapi/,
};

function isMissing([command, ...args]: string[]): boolean {
  try {
    execFileSync(command!, args, { stdio: "ignore" });
    return false;
  } catch {
    return true;
  }
}

const run = promisify(execFile);
