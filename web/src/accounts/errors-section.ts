import type { CodeErrors, DayUsage } from "@faceline/accounts/usage/read-usage";
import type { RecentError } from "@faceline/accounts/usage/recent-error";
import { errorTable } from "@faceline/contracts/http/errors";
import { inlineText } from "../docs/inline-text.ts";
import { formatCount } from "../format.ts";
import { each, type Html, html, markup } from "../html.ts";
import { instant } from "./instant.ts";
import type { UsageReader } from "./usage-section.ts";

/**
 * Returns the error codes that calls of a team ended with lately, each with what to do next and the request
 * ids of its newest calls. `days`: how often each came is counted over these. `keys`: those of the team.
 */
export function errorsSection(view: ErrorsView): Html {
  return html`<section aria-labelledby="recent-errors">
<h2 id="recent-errors">Recent errors</h2>
!${markup(view.errors.length === 0 ? noErrors() : errorList(view))}
</section>
`;
}

const noErrors = (): Html => html`<p class="dim">No call has failed in the last 30 days.</p>`;

const errorList = ({
  errors,
  days,
  keys,
  reader,
}: ErrorsView): Html => html`<p class="dim">The newest calls of each
code. ${idUses[reader]}</p>
<dl class="fields">!${each(errors, (error) => codeEntry(error, days, keys))}</dl>`;

/** The use of a request id, by reader. */
const idUses: Record<UsageReader, string> = {
  member: "Quote the request id when you ask the operator about a call.",
  operator: "The advice is for whoever sends them. Search the log of the ingress for the request id.",
};

function codeEntry({ code, newest }: CodeErrors, days: DayUsage[], keys: NamedKey[]): Html {
  const { status, when, next } = errorTable[code];
  const calls = days
    .flatMap(({ counts }) => counts)
    .filter(({ outcome }) => outcome === code)
    .reduce((sum, { calls }) => sum + calls, 0);
  return html`<div><dt><a href="/docs/errors#${code}"><code>${code}</code></a><span class="kind">${status}</span></dt>
<dd><p>!${inlineText(when)} <strong>!${inlineText(next)}</strong></p>
<details class="more"><summary>${formatCount(calls)} in ${days.length} days, the last at !${instant(newest[0]!.at)}</summary>
<div class="wide" tabindex="0" role="region" aria-label="Newest calls with ${code}"><table>
<thead><tr><th scope="col">Time</th><th scope="col">Endpoint</th><th scope="col">Key</th><th scope="col">Request id</th></tr></thead>
<tbody>!${each(newest, (call) => callRow(call, keys))}</tbody>
</table></div></details></dd></div>
`;
}

function callRow({ at, endpoint, requestId, keyId }: RecentError, keys: NamedKey[]): Html {
  const key = keys.find(({ id }) => id === keyId);
  return html`<tr><td>!${instant(at)}</td><td>${endpoint}</td><td>${key?.name ?? "–"}</td><td><code>${requestId}</code></td></tr>
`;
}

type NamedKey = { id: string; name: string };
type ErrorsView = { errors: CodeErrors[]; days: DayUsage[]; keys: NamedKey[]; reader: UsageReader };
