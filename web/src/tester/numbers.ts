/**
 * Uses the first of the reader's locales that matches the page's language, such as `en-GB`: a sentence in one
 * language with the decimal sign of another is misread. It is called once, before anything is shown.
 */
export function useLocaleOf(reader: readonly string[], language: string): void {
  locale = reader.find((each) => each.split("-")[0] === language) ?? language;
}

let locale = "en";

/** `0.0191789` → `0.0192`, `12.3456` → `12.346`. */
export function formatDistance(distance: number): string {
  const digits = distance < 1 ? 4 : 3;
  return distance.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** `77221` → `77,221`, `0.05` → `0.05`: all digits. */
export const formatNumber = (value: number): string =>
  value.toLocaleString(locale, { maximumFractionDigits: 20 });

/** `8.24` → `8.2 ms`, `142.3` → `142 ms`. */
export function formatMs(ms: number): string {
  const digits = ms < 10 ? 1 : 0;
  const shown = ms.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${shown} ms`;
}
