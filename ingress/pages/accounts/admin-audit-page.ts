import type { AuditAction, AuditEntry } from "@faceline/accounts/audit/audit-log";
import { each, type Html, html, markup, nothing } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { instant } from "./instant.ts";

// Covered by ../../src/accounts/admin.test.ts.

/** Who changed what, the newest first. `older`: the id of the last entry, if there may be more. */
export const auditPage = ({
  entries,
  older,
}: {
  entries: AuditEntry[];
  older?: string | undefined;
}): AccountPage =>
  adminPage({
    path: "/admin/audit",
    title: "Audit log",
    content: html`<h1>Audit log</h1>
!${markup(entries.length === 0 ? html`<p class="note">There are no entries.</p>` : auditTable(entries))}
!${markup(older === undefined ? nothing : olderLink(older))}`,
  });

const auditTable = (
  entries: AuditEntry[],
): Html => html`<div class="wide" tabindex="0" role="region" aria-label="Audit log"><table class="keys">
<thead><tr><th>When</th><th>Who</th><th>What</th><th>On</th><th>Request id</th></tr></thead>
<tbody>!${each(
  entries,
  ({ at, by, action, on, requestId }) => html`<tr>
<td>!${markup(instant(at))}</td>
<td>${by}</td>
<td>${actionTexts[action]}</td>
<td>${on}</td>
<td>!${markup(requestId === null ? nothing : html`<code>${requestId}</code>`)}</td>
</tr>
`,
)}</tbody>
</table></div>`;

function olderLink(id: string): Html {
  const address = `/admin/audit?before=${id}`;
  return html`<p><a href="${address}">Older entries</a></p>`;
}

const actionTexts: Record<AuditAction, string> = {
  waitlist_approved: "approved",
  waitlist_declined: "declined",
  operator_made: "made operator",
  sign_in_address_made: "sign-in address made",
  sign_in_addresses_cancelled: "sign-in addresses cancelled",
  signed_in: "signed in",
  signed_out: "signed out",
  sessions_ended: "sessions ended",
  person_forgotten: "person forgotten",
  limits_set: "limits set",
  key_created: "key created",
  key_renamed: "key renamed",
  key_rotated: "key replaced",
  key_revoked: "key revoked",
  model_enabled: "enabled",
  model_disabled: "disabled",
  model_made_default: "made default",
};
