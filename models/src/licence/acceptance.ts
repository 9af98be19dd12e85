import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { License } from "../catalogue-entry.ts";
import { megabytes } from "../megabytes.ts";
import { writeWhole } from "../whole-file.ts";

/**
 * Shows the terms of each model, or of libraries, and has them accepted, by a person at a terminal or by a
 * flag, before anything is fetched. What was accepted is written beside the models, and counts for later
 * pulls with the same licences. Throws one sentence if they are not accepted: then nothing was fetched.
 */
export async function acceptTerms(
  folder: string,
  wanted: readonly WantedModel[],
  { flags, ask, print, now }: AcceptanceOptions,
): Promise<void> {
  const open: AcceptedLicences[] = [];
  for (const { terms, bytes } of wanted) {
    for (const line of termsLines(terms, bytes)) print(line);
    const accepted = await readAcceptance(folder, terms);
    if (accepted !== undefined) {
      print(`  accepted on ${accepted.accepted_at.slice(0, 10)}, ${sentenceEnds[accepted.accepted_by]}`);
      continue;
    }
    const { name, licenses, training_data } = terms;
    const acceptedBy = await acceptance(terms, flags, ask);
    open.push({
      name,
      licenses: [...licenses],
      ...(training_data === undefined ? {} : { training_data }),
      accepted_at: now.toISOString(),
      accepted_by: acceptedBy,
    });
  }
  // Only when all are accepted: a pull of several models is refused as a whole.
  for (const licences of open) {
    await writeWhole(acceptanceFile(folder, licences.name), `${JSON.stringify(licences, undefined, 2)}\n`);
  }
}

/** Returns what was accepted for a model, as long as its licences are still the same ones. */
export async function readAcceptance(
  folder: string,
  { name, licenses }: Pick<Terms, "name" | "licenses">,
): Promise<AcceptedLicences | undefined> {
  const text = await readFile(acceptanceFile(folder, name), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const accepted = parsed(text);
  return isDeepStrictEqual(accepted?.licenses, licenses) ? accepted : undefined;
}

/** Returns the file of the accepted licences of a model, in the folder of built models. */
export function acceptanceFile(folder: string, name: string): string {
  return join(folder, "licences", `${name}.json`);
}

async function acceptance(
  terms: Terms,
  flags: AcceptanceFlags,
  ask: AcceptanceOptions["ask"],
): Promise<AcceptedLicences["accepted_by"]> {
  if (flags.acceptLicence) return "flag";
  if (ask === undefined) {
    throw new Error(
      `The licence of ${terms.name} was not accepted, and there is no terminal to ask on: ` +
        "--accept-licence accepts it. Nothing was fetched.",
    );
  }
  if (/^(y|yes)$/i.test((await ask(`Accept the licence of ${terms.name}? [y/N] `)).trim())) return "answer";
  throw new Error(`The licence of ${terms.name} was not accepted. Nothing was fetched.`);
}

function parsed(text: string): AcceptedLicences | undefined {
  try {
    return AcceptedLicences.parse(JSON.parse(text));
  } catch {
    // A file that was edited or damaged accepts nothing.
    return undefined;
  }
}

/** Lines for a terminal. `bytes` is the size of the download. */
function termsLines({ name, licenses, training_data, provenance }: Terms, bytes: number): string[] {
  return [
    `${name}, a download of ${megabytes(bytes)}:`,
    ...licenses.map(
      ({ id, covers, stated_by, use }) =>
        `  licence ${id}${use === "any" ? "" : ", for non-commercial use only"}: ${covers} (${stated_by})`,
    ),
    ...(training_data === undefined ? [] : [`  trained on: ${training_data}`]),
    ...provenance.map((sentence) => `  ${sentence}`),
  ];
}

const sentenceEnds = { answer: "by an answer at a terminal", flag: "by --accept-licence" } as const;

const AcceptedLicences = z.strictObject({
  name: z.string(),
  licenses: z.array(License),
  training_data: z.string().optional(),
  accepted_at: z.iso.datetime(),
  accepted_by: z.enum(["answer", "flag"]),
});
type AcceptedLicences = z.infer<typeof AcceptedLicences>;

/**
 * Everything that somebody has to know about a model, or about libraries, before they fetch it. A catalogue
 * entry has all of it.
 */
export type Terms = {
  name: string;
  licenses: readonly License[];
  /** Training data; only models have it. */
  training_data?: string;
  provenance: readonly string[];
};

export type WantedModel = {
  terms: Terms;
  /** Size of the download. */
  bytes: number;
};

export type AcceptanceFlags = { acceptLicence: boolean };

export type AcceptanceOptions = {
  flags: AcceptanceFlags;
  /** Asks at a terminal, and returns the answer; undefined if there is none. */
  ask: ((question: string) => Promise<string>) | undefined;
  print: (line: string) => void;
  now: Date;
};
