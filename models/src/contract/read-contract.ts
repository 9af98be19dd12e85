import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type * as z from "zod";
import { Contract } from "./contract.ts";
import { DetectorContract } from "./detector-contract.ts";

/** Reads a contract and its licence text. Throws one sentence that lists every mistake. */
export async function readContract(path: string): Promise<StatedContract> {
  const json = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new Error(`The contract ${path} cannot be read.`, { cause });
  });
  const fields = parsed(path, json);
  const isDetector = (fields as { role?: unknown } | null)?.role === "detector";
  const contract = (isDetector ? DetectorContract : Contract).safeParse(fields);
  if (!contract.success) {
    const mistakes = contract.error.issues.map(({ path: field, message }: z.core.$ZodIssue) =>
      [field.join("."), message].filter(Boolean).join(": "),
    );
    throw new Error(`The contract ${path} is not complete:\n  ${mistakes.join("\n  ")}`);
  }
  const licence = resolve(dirname(path), contract.data.licence_file);
  const licenceText = await readFile(licence, "utf8").catch(() => "");
  if (licenceText.trim() === "") {
    throw new Error(`The contract ${path} needs the text of the licence: ${licence} is not there, or empty.`);
  }
  return { contract: contract.data, licenceText };
}

function parsed(path: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error(`The contract ${path} is not JSON.`, { cause });
  }
}

/** A contract whose file can be fetched. */
export type Published = StatedContract & {
  download: { url: string; sha256: string; bytes?: number | undefined };
};

export type StatedContract = { contract: Contract | DetectorContract; licenceText: string };
