import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import type { License } from "../catalogue-entry.ts";
import {
  type AcceptanceOptions,
  acceptanceFile,
  acceptTerms,
  readAcceptance,
  type Terms,
} from "./acceptance.ts";

test("the terms are shown before the question: licence, size, training data", async (t) => {
  const folder = await temporaryFolder(t);
  const { printed } = await accept(folder, [terms()], { ask: async () => "y" });
  assert.deepEqual(printed, [
    "a, a download of 5.2 MB:",
    "  licence MIT: the weights (its README)",
    "  trained on: Not stated.",
    "  Made up.",
  ]);
});

test("only yes accepts, and anything else fetches nothing and records nothing", async (t) => {
  const folder = await temporaryFolder(t);
  for (const answer of ["", "n", "yeah", "yes please"]) {
    await assert.rejects(accept(folder, [terms()], { ask: async () => answer }), {
      message: "The licence of a was not accepted. Nothing was fetched.",
    });
  }
  assert.deepEqual(await readdir(folder), []);
  for (const answer of ["y", "YES", " yes "]) {
    await accept(folder, [terms({ name: answer.trim() })], { ask: async () => answer });
  }
});

test("without a terminal the flag is needed, and the record says that it was the flag", async (t) => {
  const folder = await temporaryFolder(t);
  await assert.rejects(accept(folder, [terms()], {}), {
    message:
      "The licence of a was not accepted, and there is no terminal to ask on: " +
      "--accept-licence accepts it. Nothing was fetched.",
  });
  await accept(folder, [terms()], { acceptLicence: true });
  assert.deepEqual(JSON.parse(await readFile(acceptanceFile(folder, "a"), "utf8")), {
    name: "a",
    licenses: [mit],
    training_data: "Not stated.",
    accepted_at: "2026-11-22T00:00:00.000Z",
    accepted_by: "flag",
  });
});

test("one model of several that is not accepted refuses all of them", async (t) => {
  const folder = await temporaryFolder(t);
  const ask = async (question: string): Promise<string> => (question.includes(" a?") ? "y" : "n");
  await assert.rejects(accept(folder, [terms(), terms({ name: "b" })], { ask }), {
    message: "The licence of b was not accepted. Nothing was fetched.",
  });
  assert.equal(await readAcceptance(folder, terms()), undefined);
});

test("an accepted licence holds until it changes or its record is damaged", async (t) => {
  const folder = await temporaryFolder(t);
  await accept(folder, [terms()], { ask: async () => "y" });
  const { printed } = await accept(folder, [terms()], {});
  assert.equal(printed.at(-1), "  accepted on 2026-11-22, by an answer at a terminal");
  await assert.rejects(
    accept(folder, [terms({ licenses: [{ ...mit, id: "GPL-3.0-only" }] })], {}),
    /no terminal/,
  );
  await writeFile(acceptanceFile(folder, "a"), '{"accepted_by":');
  await assert.rejects(accept(folder, [terms()], {}), /no terminal/);
});

const mit: License = { id: "MIT", covers: "the weights", stated_by: "its README", use: "any" };

function terms(changes: Partial<Terms> = {}): Terms {
  return { name: "a", licenses: [mit], training_data: "Not stated.", provenance: ["Made up."], ...changes };
}

async function accept(
  folder: string,
  wanted: readonly Terms[],
  { ask, acceptLicence = false }: Partial<AcceptanceOptions["flags"]> & { ask?: AcceptanceOptions["ask"] },
): Promise<{ printed: string[] }> {
  const printed: string[] = [];
  await acceptTerms(
    folder,
    wanted.map((each) => ({ terms: each, bytes: 5_200_000 })),
    {
      flags: { acceptLicence },
      ask,
      print: (line) => printed.push(line),
      now: new Date("2026-11-22"),
    },
  );
  return { printed };
}
