import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { License } from "../catalogue-entry.ts";
import { isNonCommercial, type Terms, termsLines } from "./terms.ts";

/**
 * Shows the terms of each model, or of libraries, and has them accepted, by a person at a terminal or by a
 * flag, before anything is fetched. What was accepted is written beside the models, and counts for later
 * pulls with the same licences. Throws one sentence where they are not accepted: then nothing was fetched.
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
  // Only when all are accepted: a pull of several models is refused as one.
  for (const licences of open) await writeAcceptance(folder, licences);
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
  if (isNonCommercial(terms) && !flags.acceptNonCommercial) {
    throw new Error(
      `${terms.name} is licensed for non-commercial use alone: --accept-non-commercial says that yours is. ` +
        "Nothing was fetched.",
    );
  }
  if (flags.acceptLicence) return "flag";
  if (ask === undefined) {
    throw new Error(
      `The licence of ${terms.name} was not accepted, and there is no terminal to ask at: ` +
        "--accept-licence accepts it. Nothing was fetched.",
    );
  }
  if (/^(y|yes)$/i.test((await ask(`Accept the licence of ${terms.name}? [y/N] `)).trim())) return "answer";
  throw new Error(`The licence of ${terms.name} was not accepted. Nothing was fetched.`);
}

async function writeAcceptance(folder: string, licences: AcceptedLicences): Promise<void> {
  const path = acceptanceFile(folder, licences.name);
  await mkdir(join(folder, "licences"), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, `${JSON.stringify(licences, undefined, 2)}\n`, { flush: true });
  await rename(temporary, path);
}

function parsed(text: string): AcceptedLicences | undefined {
  try {
    return AcceptedLicences.parse(JSON.parse(text));
  } catch {
    // A file that was edited or damaged accepts nothing.
    return undefined;
  }
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

export type WantedModel = {
  terms: Terms;
  /** Size of the download, if it is stated. */
  bytes: number | undefined;
};

export type AcceptanceFlags = { acceptLicence: boolean; acceptNonCommercial: boolean };

export type AcceptanceOptions = {
  flags: AcceptanceFlags;
  /** Asks at a terminal, and returns the answer; undefined where there is none. */
  ask: ((question: string) => Promise<string>) | undefined;
  print: (line: string) => void;
  now: Date;
};
