import type { AuditDetails, AuditEntry } from "@faceline/accounts/audit/audit-log";
import { formatCount } from "../format.ts";
import { each, type Html, html, nothing } from "@faceline/runtime/design/html";
import { limitFields, shortLabel } from "./limits-form.ts";

/** Returns a line for each value that an entry changed; none for plain actions and old entries. */
export function auditChange({ action, details }: AuditEntry, keys: AuditKey[]): Html {
  switch (action) {
    case "waitlist_approved":
    case "operator_made":
      return html`!${teamText(details.team)}!${limitChanges(details.limits)}`;
    case "waitlist_declined":
      return details.entries === undefined
        ? nothing
        : html`<div>${formatCount(details.entries)} together</div>`;
    case "limits_set":
      if (details.limits !== undefined && isSame(details.limits)) return html`<div>no limit changed</div>`;
      return limitChanges(details.limits);
    case "key_rotated":
      return details.newKey === undefined
        ? nothing
        : html`<div>new key !${auditKeyText(details.newKey, keys)}</div>`;
    case "member_made":
    case "sign_in_address_made":
    case "sign_in_addresses_cancelled":
    case "signed_in":
    case "signed_out":
    case "sessions_ended":
    case "person_forgotten":
    case "key_created":
    case "key_renamed":
    case "key_revoked":
      return nothing;
  }
}

const teamText = (team: string | undefined): Html =>
  team === undefined
    ? nothing
    : html`<div>team <a href="/admin/teams/${team}">${team}</a></div>
`;

/** A line for each limit that differs now. */
function limitChanges(limits: LimitsChange): Html {
  const { before = {}, after = {} } = limits ?? {};
  const changed = limitFields.filter(({ limit }) => before[limit] !== after[limit]);
  return each(
    changed,
    ({
      label,
      limit,
    }) => html`<div>${shortLabel(label)}: ${limitText(before[limit])} → ${limitText(after[limit])}</div>
`,
  );
}

const isSame = ({ before, after }: NonNullable<LimitsChange>): boolean =>
  limitFields.every(({ limit }) => before[limit] === after[limit]);

function limitText(limit: number | undefined): string {
  if (limit === undefined) return "default";
  return limit === 0 ? "unlimited" : formatCount(limit);
}

type LimitsChange = AuditDetails["limits"];

/**
 * Returns a key as its team knows it: by its present name and its first characters. If a key cannot be looked
 * up, its id is shown.
 */
export function auditKeyText(id: string, keys: AuditKey[]): Html {
  const key = keys.find((each) => each.id === id);
  if (key === undefined) return html`<code>${id}</code>`;
  return html`“${key.name}” <code>${key.prefix ?? "?"}…</code>`;
}

export type AuditKey = { id: string; name: string; prefix?: string | undefined };
