import type { AuditAction, AuditEntry } from "@faceline/accounts/audit/audit-log";
import { type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { type AuditKey, auditChange, auditKeyText } from "./audit-change.ts";
import { cardTable } from "../card-table.ts";
import { instant } from "./instant.ts";

/**
 * The audit log: who changed what, the newest first. `keys`: those that entries name, as they are now.
 * `older`: the id of the last entry, if there may be more.
 */
export const auditPage = ({ entries, keys, older }: AuditView): AccountPage =>
  adminPage({
    path: "/admin/audit",
    title: "Audit log",
    content: html`<h1>Audit log</h1>
!${markup(entries.length === 0 ? html`<p class="note">There are no entries.</p>` : auditTable(entries, keys))}
!${markup(older === undefined ? nothing : olderLink(older))}`,
  });

const auditTable = (entries: AuditEntry[], keys: AuditKey[]): Html =>
  cardTable({
    label: "Audit log",
    kind: "audit",
    columns: [
      { head: "When", content: ({ at }) => instant(at) },
      { head: "Who", content: ({ by }) => html`${by}` },
      { head: "What", type: "name", content: ({ action }) => html`${actionTexts[action]}` },
      { head: "On", content: (entry) => html`!${objectText(entry, keys)}!${auditChange(entry, keys)}` },
      {
        head: "Request ID",
        content: ({ requestId }) => (requestId === null ? html`–` : html`<code>${requestId}</code>`),
      },
    ],
    rows: entries,
  });

/** The object of an entry: a key by name and first characters, a team as a link. */
function objectText({ action, on, details }: AuditEntry, keys: AuditKey[]): Html {
  if (action.startsWith("key_")) return html`!${auditKeyText(on, keys)}!${teamOfKey(details.team)}`;
  if (action === "limits_set") return teamLink(on);
  return html`${on}`;
}

const teamOfKey = (team: string | undefined): Html =>
  team === undefined ? nothing : html` of !${teamLink(team)}`;

const teamLink = (team: string): Html => html`<a href="/admin/teams/${team}">${team}</a>`;

function olderLink(id: string): Html {
  const address = `/admin/audit?before=${id}`;
  return html`<p><a href="${address}">Older entries</a></p>`;
}

const actionTexts: Record<AuditAction, string> = {
  waitlist_approved: "approved",
  waitlist_declined: "declined",
  operator_made: "made operator",
  member_made: "made member",
  sign_in_address_made: "sign-in link made",
  sign_in_addresses_cancelled: "sign-in links cancelled",
  signed_in: "signed in",
  signed_out: "signed out",
  sessions_ended: "sessions ended",
  person_forgotten: "person forgotten",
  limits_set: "limits set",
  key_created: "key created",
  key_renamed: "key renamed",
  key_rotated: "key rotated",
  key_revoked: "key revoked",
};

type AuditView = { entries: AuditEntry[]; keys: AuditKey[]; older?: string | undefined };
