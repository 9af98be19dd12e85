import type { QualityIssue } from "@faceline/contracts/http/quality";
import { words } from "./words.ts";

/** Returns the issues of a face as short sentences; "" for none, or if nothing was measured. */
export const qualityWords = (issues: readonly QualityIssue[] | null | undefined): string =>
  (issues ?? []).map((issue) => sentences[issue]).join(" ");

const sentences: Record<QualityIssue, string> = words.quality;
