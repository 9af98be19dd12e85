import { type AssetName, assetNames, readAssets } from "./assets.ts";
import { type Content, compress } from "./content.ts";
import { docsPages } from "./docs/docs-pages.ts";
import type { Facts } from "./facts.ts";
import { frame } from "./frame.ts";
import { missingPage } from "./missing-page.ts";
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
  return {
    pages: new Map(await Promise.all(pages)),
    missingPage: await render(missingPage),
    assets: new Map(assetNames.map((name) => [assets.address(name), assets.content(name)])),
    addresses: new Map(assetNames.map((name) => [name, assets.address(name)])),
  };
}

/** Contents by their paths. It crosses from a thread to another. */
export type RenderedSite = {
  pages: Map<string, Content>;
  missingPage: Content;
  assets: Map<string, Content>;
  /** The paths of assets, by their names: for pages that are rendered at each request. */
  addresses: Map<AssetName, string>;
};
