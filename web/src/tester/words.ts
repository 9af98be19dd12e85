import en from "../words/en.json" with { type: "json" };

/**
 * What the tester says. In a browser the page brings it as data, in its own language, and a bundle holds no
 * catalogue. Elsewhere it is English.
 */
export const words: typeof en.tester =
  typeof document === "undefined"
    ? en.tester
    : (JSON.parse(document.querySelector("#tester")!.dataset["words"]!) as typeof en.tester);

/** Absent in Node, whose types this file is checked with. */
declare const document:
  | { querySelector(selector: string): { dataset: Record<string, string> } | null }
  | undefined;
