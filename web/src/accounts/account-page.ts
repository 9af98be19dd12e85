import type { AssetName } from "../assets.ts";
import type { Html } from "../html.ts";

// Types only.

/** A page for people, made for one request and not kept. */
export type AccountPage = {
  path: string;
  title: string;
  description: string;
  scripts?: AssetName[];
  content: Html;
};
