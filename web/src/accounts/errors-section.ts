import type { CodeErrors, DayUsage } from "@faceline/accounts/usage/read-usage";
import type { RecentError } from "@faceline/accounts/usage/recent-error";
import { errorTable } from "@faceline/contracts/http/errors";
import { inlineText } from "../docs/inline-text.ts";
import { each, type Html, html, markup } from "@faceline/runtime/design/html";
import { cardTable, type Column } from "../card-table.ts";
import { count } from "./count.ts";
import { instant } from "./instant.ts";
import type { UsageReader } from "./usage-section.ts";

/**
 * Returns the error codes of a team's recent requests, each with what to do next and the request ids of its
 * newest requests. `days`: the period over which codes are counted. `keys`: the team's keys.
 */
export function errorsSection(view: ErrorsView): Html {
  return html`<section aria-labelledby="recent-errors">
<h2 id="recent-errors">Recent errors</h2>
!${markup(view.errors.length === 0 ? noErrors() : errorList(view))}
</section>
`;
}

const noErrors = (): Html => html`<p class="dim">No request has failed in the last 30 days.</p>`;

const errorList = ({ errors, days, keys, reader }: ErrorsView): Html => html`<p class="dim">The newest
requests per error code. ${idUses[reader]}</p>
<dl class="fields">!${each(errors, (error) => codeEntry(error, days, keys))}</dl>`;

/** What a request id is useful for, by reader. */
const idUses: Record<UsageReader, string> = {
  member: "Quote the request ID when you ask the operator about a request.",
  operator: "The advice is for the sender. Search the log of the ingress for the request ID.",
};

function codeEntry({ code, newest }: CodeErrors, days: DayUsage[], keys: NamedKey[]): Html {
  const { status, when, next } = errorTable[code];
  const calls = days
    .flatMap(({ counts }) => counts)
    .filter(({ outcome }) => outcome === code)
    .reduce((sum, { calls }) => sum + calls, 0);
  return html`<div><dt><a href="/docs/errors#${code}"><code>${code}</code></a><span class="kind">${status}</span></dt>
<dd><p>!${inlineText(when)} <strong>!${inlineText(next)}</strong></p>
<details class="more"><summary>!${count(calls)} in ${days.length} days, the last one !${instant(newest[0]!.at)}</summary>
!${cardTable({ label: `Newest requests with ${code}`, columns: requestColumns(keys), rows: newest })}</details></dd></div>
`;
}

const requestColumns = (keys: NamedKey[]): Column<RecentError>[] => [
  { head: "Time", content: ({ at }) => instant(at) },
  { head: "Endpoint", content: ({ endpoint }) => html`${endpoint}` },
  { head: "Key", content: ({ keyId }) => html`${keys.find(({ id }) => id === keyId)?.name ?? "–"}` },
  { head: "Request ID", content: ({ requestId }) => html`<code>${requestId}</code>` },
];

type NamedKey = { id: string; name: string };
type ErrorsView = { errors: CodeErrors[]; days: DayUsage[]; keys: NamedKey[]; reader: UsageReader };
