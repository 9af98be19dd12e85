import type { AssetName } from "./assets.ts";
import type { Facts } from "./facts.ts";
import type { Html } from "./html.ts";

// Covered by ./pages.test.ts.

/** One page. It is rendered once, because it is the same for every reader. */
export type Page = {
  path: string;
  title: string;
  /** One sentence, for search engines and previews of links. */
  description: string;
  scripts: AssetName[];
  body(facts: Facts): Html;
};
