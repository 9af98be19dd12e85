import type { Facts } from "../facts.ts";
import { each, type Html, html, markup, nothing } from "../html.ts";
import type { Page } from "../page.ts";
import { apiDocument } from "./api-document.ts";
import { listOperations } from "./reference/example-call.ts";

/**
 * A page of the documents: its own content, with the list of all guides and calls beside it, and of the
 * chapters for operators where one of these or their guide is open.
 */
export function docsPage(page: DocsPage, lists: DocsLists): Page {
  return {
    ...page,
    scripts: ["code.js", "contents.js"],
    body: (facts) => html`<div class="docs">
!${contents(page.path, lists)}
<div>
!${markup(page.body(facts))}
</div>
</div>`,
  };
}

function contents(current: string, { guides, chapters }: DocsLists): Html {
  const operations = listOperations(apiDocument);
  const isOperating = current.startsWith("/docs/operating");
  return html`<details class="contents">
<summary>Contents</summary>
<nav aria-label="Documents">
<h2>Guides</h2>
<ul>!${each(guides, (guide) => guideLink(guide, current))}</ul>
!${markup(isOperating ? chapterList(chapters, current) : nothing)}<h2>Reference</h2>
<ul>!${each(operations, ({ method, path, operation }) => operationLink(method, path, operation.operationId))}<li><a href="/docs#types">Types</a></li></ul>
</nav>
</details>`;
}

function chapterList(chapters: GuideLink[], current: string): Html {
  return html`<h2>For operators</h2>
<ul>!${each(chapters, (chapter) => guideLink(chapter, current))}</ul>
`;
}

function guideLink({ path, title }: GuideLink, current: string): Html {
  return html`<li><a href="${path}"!${currentMark(path === current)}>${title}</a></li>`;
}

const currentMark = (isCurrent: boolean): Html => (isCurrent ? html` aria-current="page"` : nothing);

const operationLink = (method: string, path: string, id: string): Html =>
  html`<li><a href="/docs#${id}">${path} <span class="method">${method.toUpperCase()}</span></a></li>`;

export type DocsPage = Omit<Page, "scripts" | "body"> & { body(facts: Facts): Html };
type DocsLists = { guides: GuideLink[]; chapters: GuideLink[] };
type GuideLink = { path: string; title: string };
