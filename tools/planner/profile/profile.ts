import { readFileSync } from "node:fs";
import { Profile } from "@faceline/contracts/stored/profile";
import type * as z from "zod";

/** Returns the sizes that every lane was calibrated with, ascending. */
export function sizesOf({ lanes }: Profile): number[] {
  const sizes = lanes.map(({ runs }) => new Set(runs.map(({ size }) => size)));
  return [...sizes.reduce((common, each) => common.intersection(each))];
}

/** Reads a profile. Throws an Error with a sentence for the operator. */
export function readProfile(file: string): Profile {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : "is not JSON";
    throw new Error(`The profile ${file} ${reason}. npm run plan -- calibrate makes one.`, { cause: error });
  }
  const { success, data, error } = Profile.safeParse(content);
  if (success) return data;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  throw new Error(`The profile ${file} is not valid at ${path.join(".") || "its top"}: ${message}.`);
}
