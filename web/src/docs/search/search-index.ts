import type { Facts } from "../../facts.ts";
import type { Html } from "@faceline/runtime/design/html";
import type { SearchIndex } from "./find-sections.ts";
import { keywords } from "./keywords.ts";
import { sectionsOf } from "./sections.ts";

/** Returns the index of these pages, as a service with these facts shows them. */
export function searchIndex(pages: Searchable[], facts: Facts): SearchIndex {
  const sections = pages.flatMap(({ path, body }, page) =>
    sectionsOf(body(facts)).map(({ anchor, title, within, text }): SearchIndex["sections"][number] => {
      const words = keywords[anchor === "" ? path : `${path}#${anchor}`];
      const section = [page, anchor, title, within, text] as const;
      return words === undefined ? [...section] : [...section, words];
    }),
  );
  return { pages: pages.map(({ path, title }) => [path, title]), sections };
}

type Searchable = { path: string; title: string; body(facts: Facts): Html };
