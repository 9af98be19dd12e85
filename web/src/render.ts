import { type AssetName, assetNames, readAssets } from "./assets.ts";
import { type Content, compress } from "./content.ts";
import { apiDocument } from "./docs/api-document.ts";
import { docsPages } from "./docs/docs-pages.ts";
import { originOf } from "./docs/highlight.ts";
import { postmanCollection } from "./docs/postman.ts";
import type { Facts } from "./facts.ts";
import { frame } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./page.ts";
import { testerPage } from "./tester/page.ts";

/** Every page, in no order that matters. */
export const allPages: Page[] = [testerPage, ...docsPages];

/** Returns all pages and assets of a service with these facts. */
export async function renderSite(facts: Facts): Promise<RenderedSite> {
  const assets = await readAssets();
  const render = (page: Page): Promise<Content> =>
    compress(
      "text/html; charset=utf-8",
      Buffer.from(frame({ ...page, content: page.body(facts, assets) }, facts, assets)),
    );
  const pages = allPages.map(async (page) => [page.path, await render(page)] as const);
  const collection = JSON.stringify(postmanCollection(apiDocument, originOf(facts)));
  const postman = compress("application/json; charset=utf-8", Buffer.from(collection));
  return {
    pages: new Map([...(await Promise.all(pages)), ["/postman.json", await postman]]),
    missingPage: await render(missingPage),
    assets: new Map(assetNames.map((name) => [assets.address(name), assets.content(name)])),
    addresses: new Map(assetNames.map((name) => [name, assets.address(name)])),
  };
}

/** Page for browsers at an address without one. */
const missingPage: Page = {
  path: "",
  title: "Page not found",
  description: "There is no page at this address.",
  scripts: [],
  body: (): Html => html`<div class="prose">
<h1>There is no page at this address</h1>
<p>It may have moved, or the address was mistyped.</p>
<ul>
<li><a href="/">The tester</a> compares two pictures.</li>
<li><a href="/docs">The reference</a> has every call, field and error.</li>
<li><a href="/docs/quick-start">The quick start</a> leads to a first call.</li>
</ul>
</div>`,
};

/** Contents by their paths. It crosses from a thread to another. */
export type RenderedSite = {
  pages: Map<string, Content>;
  missingPage: Content;
  assets: Map<string, Content>;
  /** The paths of assets, by their names: for pages that are rendered at each request. */
  addresses: Map<AssetName, string>;
};
