import { type AssetName, assetNames, readAssets } from "./assets.ts";
import { type Content, compress } from "./content.ts";
import { docsIndex, docsPages } from "./docs/docs-pages.ts";
import { searchIndexPath } from "./docs/search/find-sections.ts";
import type { Facts } from "./facts.ts";
import { frame } from "./frame.ts";
import { type Html, html } from "@faceline/runtime/design/html";
import type { Page, TranslatedPage } from "./page.ts";
import { makeSiteFiles } from "./site-files.ts";
import { testerPage } from "./tester/page.ts";
import { allWords, english, type PageLanguage, type Words } from "./words/language.ts";
import { linkedText } from "./words/linked-text.ts";

/** Every page, in no order that matters. */
export const sources: (Page | TranslatedPage)[] = [testerPage, ...docsPages];

export function inWords(page: Page | TranslatedPage, words: Words): Page {
  return typeof page === "function" ? page(words) : page;
}

/** Returns all pages and assets of a service with these facts. */
export async function renderSite(facts: Facts): Promise<RenderedSite> {
  const assets = await readAssets();
  const render = (page: Page): Promise<Content> =>
    compress(
      "text/html; charset=utf-8",
      Buffer.from(frame({ ...page, content: page.body(facts, assets) }, facts, assets)),
    );
  const renderAll = async (page: Page | TranslatedPage): Promise<Translations> => {
    const languages = typeof page === "function" ? Object.values(allWords) : [english];
    const versions = languages.map(async (words) => [words.language, await render(inWords(page, words))]);
    return Object.fromEntries(await Promise.all(versions)) as Translations;
  };
  const pages = sources.map(async (page) => [inWords(page, english).path, await renderAll(page)] as const);
  const compressJson = (value: unknown): Promise<Content> =>
    compress("application/json; charset=utf-8", Buffer.from(JSON.stringify(value)));
  const files = await makeSiteFiles(facts);
  files.set(searchIndexPath, await compressJson(docsIndex(facts)));
  return {
    pages: new Map([
      ...(await Promise.all(pages)),
      ...[...files].map(([path, en]) => [path, { en }] as const),
    ]),
    missingPage: await renderAll(missingPage),
    assets: new Map(assetNames.map((name) => [assets.address(name), assets.content(name)])),
    addresses: new Map(assetNames.map((name) => [name, assets.address(name)])),
  };
}

/** The page that browsers get at an address without one. */
const missingPage: TranslatedPage = (words) => {
  const text = words.missingPage;
  return {
    path: "",
    title: text.title,
    description: text.description,
    words,
    scripts: [],
    body: (): Html => html`<div class="prose">
<h1>${text.description}</h1>
<p>${text.detail}</p>
<ul>
<li>!${linkedText(text.tester)}</li>
<li>!${linkedText(text.docs)}</li>
</ul>
</div>`,
  };
};

/** A page by its language, as far as it is translated. */
export type Translations = { en: Content } & Partial<Record<PageLanguage, Content>>;

/** Contents by their paths, pages and what is fetched beside them. It crosses from a thread to another. */
export type RenderedSite = {
  pages: Map<string, Translations>;
  missingPage: Translations;
  assets: Map<string, Content>;
  /** The paths of assets, by their names: for pages that are rendered at each request. */
  addresses: Map<AssetName, string>;
};
