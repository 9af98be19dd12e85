import type { AssetName, Assets } from "./assets.ts";
import type { Facts } from "./facts.ts";
import { each, type Html, html, markup, nothing } from "./html.ts";
import { contrastIcon, mark } from "./icons.ts";
import type { Page } from "./page.ts";

/** Returns the whole document of a page: head, header, content and footer. */
export function frame(page: Page, facts: Facts, assets: Assets): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Faceline</title>
<meta name="description" content="${page.description}">
!${canonicalLink(page, facts)}<link rel="icon" type="image/svg+xml" href="${assets.address("icon.svg")}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${assets.address("geist.woff2")}">
<link rel="stylesheet" href="${assets.address("faceline.css")}">
!${each(page.styles ?? [], (name) => styleSheet(name, assets))}<script src="${assets.address("theme.js")}"></script>
!${each(page.scripts, (name) => moduleScript(name, assets))}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/">!${mark()}<span>Faceline</span></a>
<nav aria-label="Main">!${each(mainLinks, (link) => mainLink(link, page.path))}</nav>
<button type="button" id="theme" class="quiet" aria-label="Change the theme" hidden>!${contrastIcon()}</button>
</header>
<main id="main" tabindex="-1">
!${markup(page.body(facts, assets))}
</main>
<footer class="bottom">
<p>Faceline ${facts.version}, Apache-2.0. <a href="/openapi.json">OpenAPI document</a>. The typeface is Geist,
under the <a href="${assets.address("geist-licence.txt")}">SIL Open Font License</a>.</p>
<p>These pages set no cookies and load nothing from elsewhere.</p>
</footer>
<p id="status" class="visually-hidden" role="status"></p>
</body>
</html>
`;
}

const mainLinks = [
  { path: "/", text: "Tester", isCurrent: (path: string) => path === "/" },
  { path: "/docs/quick-start", text: "Guides", isCurrent: (path: string) => path.startsWith("/docs/") },
  { path: "/docs", text: "Reference", isCurrent: (path: string) => path === "/docs" },
];

function mainLink({ path, text, isCurrent }: (typeof mainLinks)[number], current: string): Html {
  return isCurrent(current)
    ? html`<a href="${path}" aria-current="${path === current ? "page" : "true"}">${text}</a>`
    : html`<a href="${path}">${text}</a>`;
}

function canonicalLink({ path }: Page, { publicUrl }: Facts): Html {
  return publicUrl === "" || path === ""
    ? nothing
    : html`<link rel="canonical" href="${publicUrl + path}">
`;
}

function moduleScript(name: AssetName, assets: Assets): Html {
  return html`<script type="module" src="${assets.address(name)}"></script>
`;
}

function styleSheet(name: AssetName, assets: Assets): Html {
  return html`<link rel="stylesheet" href="${assets.address(name)}">
`;
}
