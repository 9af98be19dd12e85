import { formatDuration } from "../format.ts";
import { each, type Html, html, nothing } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { instant } from "./instant.ts";

/** The page of a request that was refused. */
export const refusalPage = (refusal: Refusal): AccountPage => ({
  path: "",
  title: refusal.title,
  description: refusal.detail,
  content: html`<div class="prose">
<h1>${refusal.title}</h1>
<p class="lead">${refusal.detail}</p>
!${wait(refusal)}<ul>
!${ownPages(refusal.role)}<li><a href="/">The tester</a> compares two pictures without an account.</li>
<li><a href="/docs/quick-start">The quick start</a> leads to a first call.</li>
</ul>
<p class="dim">Request id: <code>${refusal.requestId}</code></p>
</div>`,
});

/** Links for somebody who is signed in. */
function ownPages(role: Refusal["role"]): Html {
  const dashboard = { path: "/dashboard", text: "Your dashboard" };
  const admin = { path: "/admin", text: "The pages of operators" };
  const pages = { none: [], member: [dashboard], operator: [admin, dashboard] }[role ?? "none"];
  return each(
    pages,
    ({ path, text }) => html`<li><a href="${path}">${text}</a></li>
`,
  );
}

function wait({ retryAfterMs, now }: Refusal): Html {
  if (retryAfterMs === undefined) return nothing;
  const minutes = Math.ceil(retryAfterMs / 60_000);
  const time = minutes <= 1 ? "a minute" : formatDuration(minutes * 60_000);
  return html`<p class="note">Try again in ${time}, at !${instant(now + minutes * 60_000)}.</p>
`;
}

export type RefusalText = { title: string; detail: string };
/** `role`: of who is signed in. `now`: epoch ms. */
type Refusal = RefusalText & {
  requestId: string;
  now: number;
  retryAfterMs?: number | undefined;
  role?: "member" | "operator" | undefined;
};
