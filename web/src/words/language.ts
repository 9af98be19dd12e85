import de from "./de.json" with { type: "json" };
import en from "./en.json" with { type: "json" };
import es from "./es.json" with { type: "json" };

/** Languages of the pages for visitors. The first one is for readers of none of them. */
export const languages = ["en", "de", "es"] as const;
export type PageLanguage = (typeof languages)[number];

/**
 * All texts of pages for visitors, by area. A text may hold links, `[words](/path)`, and values, `{name}`:
 * see `./linked-text.ts` and `./fill.ts`. A gap in a language does not compile.
 */
export type Words = { language: PageLanguage } & typeof en;

export const allWords: Record<PageLanguage, Words> = {
  en: { language: "en", ...en },
  de: { language: "de", ...de },
  es: { language: "es", ...es },
};

/** Words of the pages that are only in English. */
export const english = allWords.en;

/**
 * Returns the language that a reader prefers by `Accept-Language` (RFC 9110, section 12.5.4), of those that a
 * page has. A range counts by its first part: `de-AT` is German. English is for everybody else.
 */
export function chooseLanguage(accepted = "", among: readonly PageLanguage[] = languages): PageLanguage {
  const ranges = accepted.toLowerCase().split(",", rangesMax).map(readRange);
  const wanted = ranges.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  for (const { name } of wanted) {
    // `*` stands for each language that no other range names.
    const language = among.find((each) =>
      name === "*" ? !ranges.some((range) => range.name === each) : name === each,
    );
    if (language !== undefined) return language;
  }
  return "en";
}

/** A range without a valid weight counts as refused. */
function readRange(text: string): { name: string; weight: number } {
  const [, name = "", weight = "1"] = rangePattern.exec(text.trim()) ?? [undefined, "", "0"];
  return { name, weight: Number(weight) };
}

const rangePattern =
  /^([a-z]{1,8}|\*)(?:-[a-z0-9-]{1,64})?(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/** Browsers send up to ten. */
const rangesMax = 20;
