import en from "../words/en.json" with { type: "json" };

/**
 * The texts of the tester. In a browser, the page provides them as data in its own language, so a bundle
 * holds no catalogue. Elsewhere they are English.
 */
export const words: typeof en.tester =
  typeof document === "undefined"
    ? en.tester
    : (JSON.parse(document.querySelector("#tester")!.dataset["words"]!) as typeof en.tester);

/** Absent in Node, whose types this file is checked with. */
declare const document:
  | { querySelector(selector: string): { dataset: Record<string, string> } | null }
  | undefined;
