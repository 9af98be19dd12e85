import type { Facts } from "../facts.ts";
import { each, type Html, html, markup, nothing } from "../html.ts";
import type { Page } from "../page.ts";
import { apiDocument } from "./api-document.ts";
import { listOperations } from "./reference/example-call.ts";

// Covered by ../pages.test.ts.

/** A page of the documents: its own content, with the list of all guides and calls beside it. */
export function docsPage(page: DocsPage, guides: GuideLink[]): Page {
  return {
    ...page,
    scripts: ["code.js", "contents.js"],
    body: (facts) => html`<div class="docs">
!${contents(page.path, guides)}
<div>
!${markup(page.body(facts))}
</div>
</div>`,
  };
}

function contents(current: string, guides: GuideLink[]): Html {
  const operations = listOperations(apiDocument);
  return html`<details class="contents">
<summary>Contents</summary>
<nav aria-label="Documents">
<h2>Guides</h2>
<ul>!${each(guides, (guide) => guideLink(guide, current))}</ul>
<h2>Reference</h2>
<ul>!${each(operations, ({ method, path, operation }) => operationLink(method, path, operation.operationId))}<li><a href="/docs#types">Types</a></li></ul>
</nav>
</details>`;
}

function guideLink({ path, title }: GuideLink, current: string): Html {
  return html`<li><a href="${path}"!${currentMark(path === current)}>${title}</a></li>`;
}

const currentMark = (isCurrent: boolean): Html => (isCurrent ? html` aria-current="page"` : nothing);

const operationLink = (method: string, path: string, id: string): Html =>
  html`<li><a href="/docs#${id}">${path} <span class="method">${method.toUpperCase()}</span></a></li>`;

export type DocsPage = Omit<Page, "scripts" | "body"> & { body(facts: Facts): Html };
type GuideLink = { path: string; title: string };
