import type { AssetName } from "../assets.ts";
import type { Html } from "@faceline/runtime/design/html";
import type { Words } from "../words/language.ts";

// Types only.

/** A page for people, made for one request and not kept. */
export type AccountPage = {
  path: string;
  title: string;
  description: string;
  scripts?: AssetName[];
  /** Those that a page for visitors was made of. Absent: English, the language of all other pages. */
  words?: Words;
  content: Html;
};
