/** Address of the index. It is not among the assets, because it has the numbers of this service. */
export const searchIndexPath = "/docs/search.json";

/** Sections of all documents, as the page fetches them; `page` is a place in `pages`. */
export type SearchIndex = {
  pages: [path: string, title: string][];
  /** `keywords`: see ./keywords.ts. */
  sections: [page: number, anchor: string, title: string, within: string, text: string, keywords?: string][];
};

/** One result: a link, where it leads, and the words around the first match. */
export type Found = { address: string; title: string; place: string; excerpt: string };

/** Returns the sections in which each word of the query is, or begins, a word; the best come first. */
export function findSections({ pages, sections }: SearchIndex, query: string): Found[] {
  const words = wordsOf(query).slice(0, wordsMax);
  if (words.length === 0) return [];
  const rated = sections.flatMap(([page, anchor, title, within, text, keywords = ""]) => {
    const [path, pageTitle] = pages[page]!;
    const isStart = anchor === "";
    const scores = words.map((word) =>
      Math.max(
        titleScore(title.toLowerCase(), word),
        wordsOf(keywords).includes(word) ? keywordScore : 0,
        isStart ? titleScore(pageTitle.toLowerCase(), word) : 0,
        begins(`${within} ${pageTitle}`, word) ? placeScore : 0,
        begins(text, word) ? textScore : 0,
      ),
    );
    if (scores.includes(0)) return [];
    const place = [pageTitle, within].filter((part) => part !== "" && part !== title).join(" › ");
    const score = scores.reduce((sum, score) => sum + score, isStart ? startBonus : 0);
    return { score, path, anchor, title, place, text };
  });
  return rated
    .toSorted((one, other) => other.score - one.score)
    .slice(0, resultsMax)
    .map(({ path, anchor, title, place, text }) => ({
      address: anchor === "" ? path : `${path}#${anchor}`,
      title,
      place,
      excerpt: excerptOf(text, words[0]!),
    }));
}

const wordsOf = (query: string): string[] => query.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? [];

function titleScore(title: string, word: string): number {
  if (title === word) return 16;
  if (wordsOf(title).includes(word)) return 8;
  return begins(title, word) ? 5 : title.includes(word) ? 3 : 0;
}

/** Whether a word of the text begins with it; parts of names joined by `_`, `-` or `.` count as words. */
function begins(text: string, word: string): boolean {
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower[at - 1]!)) return true;
  }
  return false;
}

function excerptOf(text: string, word: string): string {
  const at = Math.max(text.toLowerCase().indexOf(word), 0);
  const start = at < excerptBefore ? 0 : text.indexOf(" ", at - excerptBefore) + 1;
  const cut = text.slice(start, start + excerptCharacters);
  return `${start > 0 ? "… " : ""}${cut}${start + excerptCharacters < text.length ? "…" : ""}`;
}

const wordsMax = 8;
const resultsMax = 12;
const startBonus = 1;
const keywordScore = 16;
const placeScore = 2;
const textScore = 1;
const excerptBefore = 40;
const excerptCharacters = 120;
