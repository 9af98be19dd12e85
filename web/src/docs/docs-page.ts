import type { Facts } from "../facts.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { Page } from "../page.ts";
import { apiDocument } from "./api-document.ts";
import { type ListedOperation, listOperations } from "./reference/example-call.ts";
import { searchForm } from "./search/search-form.ts";
import { sectionsOf } from "./search/sections.ts";

/**
 * A page of the documents: its own content, with a search and the list of all guides and endpoints beside it,
 * the operators' chapters if one of these is open, and the headings of a text.
 */
export function docsPage(page: DocsPage, lists: DocsLists): Page {
  return {
    ...page,
    scripts: ["docs.js"],
    body(facts) {
      const content = page.body(facts);
      return html`<div class="docs">
<div class="side">
!${searchForm()}
!${contents(page.path, lists)}
</div>
!${outline(content, lists)}<div>
!${markup(content)}
</div>
</div>`;
    },
  };
}

function outline(content: Html, { hasOutline }: DocsLists): Html {
  if (!hasOutline) return nothing;
  const listed = sectionsOf(content).filter(({ level }) => level === "heading");
  if (listed.length < 2) return nothing;
  return html`<details class="contents on-page">
<summary>On this page</summary>
<nav aria-label="On this page">
<h2>On this page</h2>
<ul>!${each(listed, ({ anchor, title }) => html`<li><a href="#${anchor}">${title}</a></li>`)}</ul>
</nav>
</details>
`;
}

function contents(current: string, { guideGroups, operatingGuide, chapters, rootPages }: DocsLists): Html {
  const operations = listOperations(apiDocument);
  const isOperating = current.startsWith("/docs/operating");
  return html`<details class="contents">
<summary>Contents</summary>
<nav aria-label="Documents">
<ul>!${pageLink({ path: "/docs", title: "Overview" }, current)}</ul>
!${each(guideGroups, ({ title, guides }) => pageList(title, guides, current))}!${pageList("For operators", isOperating ? [operatingGuide, ...chapters] : [operatingGuide], current)}<h2>Reference</h2>
<ul>!${each(operations, (listed) => operationLink(listed, current))}!${pageLink({ path: "/docs/reference", title: "Headers and types" }, current)}</ul>
!${pageList("About", rootPages, current)}
</nav>
</details>`;
}

function pageList(title: string, pages: PageLink[], current: string): Html {
  return html`<h2>${title}</h2>
<ul>!${each(pages, (page) => pageLink(page, current))}</ul>
`;
}

function pageLink({ path, title }: PageLink, current: string): Html {
  return html`<li><a href="${path}"!${currentMark(path === current)}>${title}</a></li>`;
}

const currentMark = (isCurrent: boolean): Html => (isCurrent ? html` aria-current="page"` : nothing);

function operationLink({ method, path, operation }: ListedOperation, current: string): Html {
  const address = `/docs/reference/${operation.operationId}`;
  return html`<li><a href="${address}"!${currentMark(address === current)}>${path} <span class="method">${method.toUpperCase()}</span></a></li>`;
}

export type DocsPage = Omit<Page, "scripts" | "body"> & { body(facts: Facts): Html };
type DocsLists = {
  guideGroups: GuideGroup[];
  operatingGuide: PageLink;
  chapters: PageLink[];
  /** Security, licences and the changelog. */
  rootPages: PageLink[];
  hasOutline: boolean;
};
type PageLink = { path: string; title: string };
export type GuideGroup = { title: string; guides: DocsPage[] };
