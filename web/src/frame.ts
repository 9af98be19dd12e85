import type { AssetName, Assets } from "./assets.ts";
import { type Facts, offersWaitlist } from "./facts.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { Page } from "./page.ts";
import { fill } from "./words/fill.ts";
import { english, type Words } from "./words/language.ts";

/**
 * Returns the whole document of a page: head, header, content and footer. `reader` is who is signed in, for a
 * page that is rendered at each request; the other pages are the same for everybody.
 */
export function frame(page: FramedPage, facts: Facts, assets: AssetAddresses, reader?: Reader): Html {
  const { language, siteFrame: text } = page.words ?? english;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Faceline</title>
<meta name="description" content="${page.description}">
!${previewTags(page, facts)}<link rel="icon" type="image/svg+xml" href="${assets.address("icon.svg")}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${assets.address("geist.woff2")}">
<link rel="stylesheet" href="${assets.address("faceline.css")}">
!${each(page.styles ?? [], (name) => styleSheet(name, assets))}<script src="${assets.address("theme.js")}"></script>
!${each(page.scripts, (name) => moduleScript(name, assets))}</head>
<body>
<a class="skip" href="#main">${text.skip}</a>
<header class="top">
<a class="brand" href="/" aria-label="Faceline">!${mark()}<span>Faceline</span></a>
<nav aria-label="${text.main}">!${each(mainLinks(text), (link) => mainLink(link, page.path))}</nav>
!${accountPart(page.path, text, facts, reader)}<button type="button" id="theme" class="quiet" aria-label="${text.theme}" hidden>!${contrastIcon()}</button>
</header>
<main id="main" tabindex="-1">
!${markup(page.content)}
</main>
<footer class="bottom">
<p>Faceline ${facts.version}, <a href="/docs/notice">Apache-2.0</a>. <a href="/docs/changelog">${text.changelog}</a>.
<a href="/openapi.json">${text.openApi}</a>. ${text.typeface} <a href="${assets.address("geist-licence.txt")}">SIL Open Font License</a>.</p>
<p>${facts.accounts ? text.oneCookie : text.noCookies}</p>
</footer>
<p id="status" class="visually-hidden" role="status"></p>
</body>
</html>
`;
}

/** Icons are drawn in the colour of the text around them. They are decoration: text carries the meaning. */
const icon = (shapes: Html): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">!${markup(shapes)}</svg>`;

/** The mark of Faceline: two points, and the line on which their distance is measured. */
const mark = (): Html =>
  html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false"><rect class="mark-ground" width="32" height="32" rx="8"/><path d="M10 16h12"/><circle cx="10" cy="16" r="3"/><circle class="mark-hole" cx="22" cy="16" r="3"/></svg>`;

const contrastIcon = (): Html =>
  icon(html`<circle cx="12" cy="12" r="8"/><path class="filled" d="M12 4a8 8 0 0 1 0 16z"/>`);

const mainLinks = (text: Words["siteFrame"]): MainLink[] => [
  { path: "/", text: text.tester, isCurrent: (path) => path === "/" },
  { path: "/docs", text: text.docs, isCurrent: (path) => /^\/docs(?!\/reference)/.test(path) },
  { path: "/docs/reference", text: text.reference, isCurrent: (path) => path.startsWith("/docs/reference") },
];

function mainLink({ path, text, isCurrent }: MainLink, current: string): Html {
  return isCurrent(current)
    ? html`<a href="${path}" aria-current="${path === current ? "page" : "true"}">${text}</a>`
    : html`<a href="${path}">${text}</a>`;
}

/** Links for visitors, or for the role of the person who is signed in. */
function accountPart(path: string, text: Words["siteFrame"], facts: Facts, reader?: Reader): Html {
  if (!facts.accounts) return nothing;
  return html`<nav aria-label="${text.account}" class="account">!${each(accountLinks(text, facts, reader), (link) => mainLink(link, path))}!${signOut(text, reader)}</nav>
`;
}

function accountLinks(text: Words["siteFrame"], facts: Facts, reader: Reader | undefined): MainLink[] {
  if (reader === undefined) {
    // Pages that are the same for everybody do not know who reads them: the dashboard asks for a sign-in.
    const isSignIn = (path: string): boolean => /^\/sign-in(\/|$)/.test(path);
    const account = { path: "/dashboard", text: text.account, isCurrent: isSignIn };
    return offersWaitlist(facts) ? [accountLink("/waitlist", text.waitlist), account] : [account];
  }
  const dashboard = accountLink("/dashboard", text.dashboard);
  return reader.role === "operator" ? [dashboard, accountLink("/admin", text.admin)] : [dashboard];
}

function signOut(text: Words["siteFrame"], reader: Reader | undefined): Html {
  if (reader === undefined) return nothing;
  return html`<form method="post" action="/sign-out"><button class="link" title="${fill(text.signedInAs, { email: reader.email })}">${text.signOut}</button></form>`;
}

const accountLink = (path: string, text: string): MainLink => ({
  path,
  text,
  isCurrent: (current) => current === path || current.startsWith(`${path}/`),
});

/** Tags for previews of links and search engines. */
function previewTags({ path, title, description }: FramedPage, { publicUrl }: Facts): Html {
  if (path === "") return nothing;
  return html`<meta property="og:title" content="${title} · Faceline">
<meta property="og:description" content="${description}">
!${canonicalTag(publicUrl, path)}`;
}

/** The address must be absolute: it needs PUBLIC_URL. */
function canonicalTag(publicUrl: string, path: string): Html {
  if (publicUrl === "") return nothing;
  return html`<link rel="canonical" href="${publicUrl + path}">
`;
}

function moduleScript(name: AssetName, assets: AssetAddresses): Html {
  return html`<script type="module" src="${assets.address(name)}"></script>
`;
}

function styleSheet(name: AssetName, assets: AssetAddresses): Html {
  return html`<link rel="stylesheet" href="${assets.address(name)}">
`;
}

/** A page with its content; `content` is what `Page.body` returns. */
type FramedPage = Omit<Page, "body"> & { content: Html };

/** Who is signed in. */
type Reader = { email: string; role: "member" | "operator" };

type AssetAddresses = Pick<Assets, "address">;

type MainLink = { path: string; text: string; isCurrent(path: string): boolean };
