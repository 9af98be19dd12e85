import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { statusNote } from "./flash.ts";

/** Returns a page for operators, below the links to all of them. */
export const adminPage = ({
  path,
  title,
  content,
  flash,
  alert = nothing,
  scripts = [],
}: AdminPage): AccountPage => ({
  path,
  title,
  description: "For operators of this service.",
  scripts,
  content: html`<div class="dashboard admin">
<nav class="sections" aria-label="Admin">!${each(links, (link) => sectionLink(link, path))}</nav>
!${statusNote(flash)}!${markup(alert)}!${markup(content)}
</div>`,
});

const links = [
  { path: "/admin", text: "Waitlist", below: "/admin/waitlist/" },
  { path: "/admin/teams", text: "Teams", below: "/admin/teams/" },
  { path: "/admin/usage", text: "Usage", below: "/admin/usage/" },
  { path: "/admin/people", text: "People", below: "/admin/people/" },
  { path: "/admin/audit", text: "Audit log", below: "/admin/audit/" },
];

function sectionLink({ path, text, below }: (typeof links)[number], current: string): Html {
  if (path === current) return html`<a href="${path}" aria-current="page">${text}</a>`;
  return current.startsWith(below)
    ? html`<a href="${path}" aria-current="true">${text}</a>`
    : html`<a href="${path}">${text}</a>`;
}

/** `flash`: what was done before, as a sentence. `alert`: what is wrong with a form of the page. */
type AdminPage = Pick<AccountPage, "path" | "title" | "content" | "scripts"> & {
  flash?: string | undefined;
  alert?: Html;
};
