import type { AssetName, Assets } from "./assets.ts";
import type { Facts } from "./facts.ts";
import type { Html } from "./html.ts";

/** One page. It is rendered once, because it is the same for every reader. */
export type Page = {
  path: string;
  title: string;
  /** One sentence, for search engines and previews of links. */
  description: string;
  /** Styles beside those of every page. */
  styles?: AssetName[];
  scripts: AssetName[];
  /** `assets`: for the addresses of pictures. */
  body(facts: Facts, assets: Assets): Html;
};
