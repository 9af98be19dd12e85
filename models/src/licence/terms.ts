import type { License } from "../catalogue-entry.ts";
import { megabytes } from "../megabytes.ts";

/**
 * Everything that somebody has to know of a model, or of libraries, before they fetch it. A catalogue entry
 * has all of it.
 */
export type Terms = {
  name: string;
  licenses: readonly License[];
  /** Training data; models alone have it. */
  training_data?: string;
  provenance: readonly string[];
};

/** Lines for a terminal. `bytes` is the size of the download, if stated. */
export function termsLines(
  { name, licenses, training_data, provenance }: Terms,
  bytes: number | undefined,
): string[] {
  return [
    `${name}, a download of ${bytes === undefined ? "a size that is not stated" : megabytes(bytes)}:`,
    ...licenses.map(
      ({ id, covers, stated_by, use }) =>
        `  licence ${id}${use === "any" ? "" : ", for non-commercial use alone"}: ${covers} (${stated_by})`,
    ),
    ...(training_data === undefined ? [] : [`  trained on: ${training_data}`]),
    ...provenance.map((sentence) => `  ${sentence}`),
  ];
}

/** Whether one of the licences forbids commercial use. */
export function isNonCommercial({ licenses }: Pick<Terms, "licenses">): boolean {
  return licenses.some(({ use }) => use === "non_commercial");
}
