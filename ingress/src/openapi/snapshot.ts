import { readFileSync } from "node:fs";

/** The document as it is committed and served: starting costs nothing, and a change of the API shows in its diff. */
export const snapshotFile = new URL("../../openapi.json", import.meta.url);

export const readSnapshot = (): string => readFileSync(snapshotFile, "utf8");

/** Lists of numbers on one line: a vector would fill a page. */
export const snapshotOf = (document: object): string =>
  `${JSON.stringify(document, null, 2).replace(/\[\s+(-?[\d.]+(,\s+-?[\d.]+)*)\s+\]/g, (list) => list.replace(/\s+/g, " "))}\n`;
