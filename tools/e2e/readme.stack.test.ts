import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { installPackage, packClient } from "@faceline/commands/client-package";
import { writeSamples } from "@faceline/deploy/launcher/samples";
import { openStateFolder, repository } from "@faceline/deploy/launcher/state-folder";
import { welcomeMessage } from "@faceline/deploy/launcher/welcome";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { facesFolder, labelledPairs, withoutFaces } from "@faceline/testing/faces";
import { startStack } from "./stack/stack.ts";

const skip = spawnSync("curl", ["--version"]).error !== undefined && "there is no curl here";

const withoutPython =
  spawnSync("python3", ["-c", "import requests"]).status !== 0 && "there is no Python with requests here";

test("the calls in README, in the guide to clients and in the launcher's welcome message work as pasted", {
  skip,
}, async (t) => {
  const { address, key } = await startStack(t);

  // A folder like the repository's while `npm start` runs.
  const folder = mkdtempSync(join(tmpdir(), "faceline-readme-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const state = openStateFolder(join(folder, ".faceline"));
  const body = writeSamples(state.samples);
  writeFileSync(state.devKey, `${key}\n`);

  await t.test("the call of the welcome message", async () => {
    const text = welcomeMessage({
      addresses: [address],
      key,
      keyFile: state.devKey,
      body,
      pages: true,
      accounts: true,
      logs: state.logs,
      operatorsPorts: {},
      tookMs: 0,
    });
    const command = text.split("\n").find((line) => line.startsWith("curl "));
    assert.ok(command, text);
    const response = VerifyResponse.parse(await paste(command, tmpdir()));
    assert.equal(response.verified, true);
  });

  await t.test("the call in README returns the answer in README", async () => {
    const readme = readFileSync(join(repository, "README.md"), "utf8");
    const command = fenced(readme, "sh").find((block) => block.includes("curl"));
    const [answer] = fenced(readme, "json");
    assert.ok(command && answer, "README.md has a call in a block of sh, and its answer in one of json");
    assert.ok(command.includes(readmeAddress), command);

    const response = await paste(command.replace(readmeAddress, address), folder);
    const shown: unknown = JSON.parse(answer);
    assert.deepEqual(shape(response), shape(shown));
    assert.deepEqual(stableFields(response), stableFields(shown));
    assert.equal(VerifyResponse.parse(response).verified, true);
  });

  const guide = readFileSync(join(repository, "docs/using/clients.md"), "utf8");

  await t.test("the TypeScript program in docs/using/clients.md", async () => {
    const [program] = fenced(guide, "typescript");
    assert.ok(program !== undefined && program.includes(readmeAddress), program);
    // What a reader has: a project of its own, with the packed client in it.
    const tarball = await packClient(join(folder, "packed"));
    await installPackage(folder, tarball);
    writeFileSync(join(folder, "call.ts"), program.replace(readmeAddress, address));
    assert.equal(await runInFolder(folder, process.execPath, "call.ts"), "true\n");
  });

  const skipped = withoutFaces || withoutPython;
  await t.test("the program in docs/using/images.md enrols three images", { skip: skipped }, async () => {
    const [program = ""] = fenced(readFileSync(join(repository, "docs/using/images.md"), "utf8"), "python");
    assert.ok(program.trim().split("\n").length <= 20 && program.includes(readmeAddress), program);
    const ofOne = labelledPairs().filter(({ first, samePerson }) => first === "img1.jpg" && samePerson);
    for (const [i, { second: name }] of ofOne.slice(0, 4).entries())
      copyFileSync(join(facesFolder, name), join(folder, `ann-${i + 1}.jpg`));
    const args = ["-c", program.replace(readmeAddress, address)];
    assert.equal(await runInFolder(folder, "python3", ...args), "True\n");
  });

  for (const [file, language] of programs) {
    const { name, command, needs } = languages[language];
    const fault = spawnSync(needs[0]!, needs.slice(1)).status !== 0 && `NOT CHECKED: no ${needs.join(" ")}`;
    await t.test(`the ${language} program in docs/using/${file}.md`, { skip: fault }, async () => {
      const guide = readFileSync(join(repository, `docs/using/${file}.md`), "utf8");
      // Programs with our Python client need its wheel: python-client.e2e.test.ts.
      const [program, ...others] = fenced(guide, language).filter((text) => !text.includes("from faceline"));
      assert.ok(program !== undefined && program.includes(readmeAddress) && others.length === 0, file);
      writeFileSync(join(folder, name), program.replaceAll(readmeAddress, address));
      assert.match(await runInFolder(folder, command[0]!, ...command.slice(1), name), positive);
    });
  }
});

const readmeAddress = "http://127.0.0.1:8080";

const languages = {
  sh: { name: "call.sh", command: ["sh"], needs: ["curl", "--version"] },
  python: { name: "call.py", command: ["python3"], needs: ["python3", "-c", "import requests"] },
  typescript: { name: "call.mts", command: [process.execPath], needs: [process.execPath, "--version"] },
  go: { name: "call.go", command: ["go", "run"], needs: ["go", "version"] },
  java: { name: "Call.java", command: ["java"], needs: ["javac", "-version"] },
};

/** Guides, and the language of a program that prints a verdict or the nearest person. */
const programs: [string, keyof typeof languages][] = [
  ["clients", "go"],
  ["clients", "java"],
  ["coming-from-compreface", "python"],
  ["coming-from-localai", "python"],
  ["coming-from-face-api", "typescript"],
  ["one-against-many", "sh"],
  ["one-against-many", "python"],
  ["one-against-many", "typescript"],
];
const positive = /^(true|Dia)$|"verified":true|"best_match":\{"index":0/im;

const paste = async (command: string, cwd: string): Promise<unknown> =>
  JSON.parse(await runInFolder(cwd, "sh", "-c", command));

/** Returns the verdict that a program prints: it is run again where a busy machine has refused its call. */
async function runInFolder(cwd: string, command: string, ...args: string[]): Promise<string> {
  let printed = "";
  await waitUntil(`${command} ${args.join(" ")} prints a verdict`, async () => {
    const ended = promisify(execFile)(command, args, { cwd });
    ({ stdout: printed } = await ended.catch((error: { stdout: string }) => error));
    return positive.test(printed) || /^(false|nobody)$|"verified"/im.test(printed);
  });
  return printed;
}

const fenced = (markdown: string, language: string): string[] =>
  markdown
    .matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))
    .map(([, block = ""]) => block)
    .toArray();

/** Names and types of the fields, in order, without their values. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.entries(value).map(([name, inner]) => [name, shape(inner)]);
}

/** The fields that depend neither on the processor nor on the time. */
const stableFields = (response: unknown): string => JSON.stringify(response, stableNames);
const stableNames = "verified threshold threshold_false_match_rate model detector_backend".split(" ");
