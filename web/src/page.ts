import type { AssetName, Assets } from "./assets.ts";
import type { Facts } from "./facts.ts";
import type { Html } from "@faceline/runtime/design/html";
import type { Words } from "./words/language.ts";

/** One page. It is rendered once, because it is the same for every reader of its language. */
export type Page = {
  path: string;
  title: string;
  /** One sentence, for search engines and previews of links. */
  description: string;
  /** The words that it was made of, and those of its header and footer. Absent: English. */
  words?: Words | undefined;
  /** Styles beside those of every page. */
  styles?: AssetName[];
  scripts: AssetName[];
  /** `assets`: for the addresses of images. */
  body(facts: Facts, assets: Assets): Html;
};

/** A page in several languages. */
export type TranslatedPage = (words: Words) => Page;
