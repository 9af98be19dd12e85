import type { Actor, AuditEntry } from "@faceline/accounts/audit/audit-log";
import type { Applicant } from "@faceline/accounts/people/applicants";
import type { Person } from "@faceline/accounts/people/person";
import type { OpenLink } from "@faceline/accounts/people/sign-in-link";
import type { TeamSummary } from "@faceline/accounts/people/teams";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import type { SentLink } from "@faceline/web/accounts/admin-link-pages";
import type { KeyView } from "@faceline/web/accounts/key-view";
import type { UsageOfService } from "./read-team-usage.ts";
import type { StoredSession } from "./session-storage.ts";

// Types only.

/** Ports of the operators' pages. All throw while the durable Redis is unreachable. */
export type AdminPorts = {
  /** The oldest first. */
  waitlist(): Promise<Applicant[]>;
  /**
   * `in_other_team`: a person stays in their team. `gone`: with `mustWait`, they do not wait any more, and
   * are no member.
   */
  approve(
    approval: { email: string; team: string; limits: LimitOverrides; mustWait?: boolean },
    actor: Actor,
  ): Promise<{ kind: "approved" } | { kind: "in_other_team"; team: string } | { kind: "gone" }>;
  decline(email: string, actor: Actor): Promise<boolean>;
  people(): Promise<Person[]>;
  /** Returns false if nobody has this email any more. */
  makeOperator(email: string, actor: Actor): Promise<boolean>;
  sessions(email: string): Promise<StoredSession[]>;
  endSessions(email: string, actor: Actor): Promise<unknown>;
  /** Sign-in links of a person that work, the newest first. */
  openLinks(email: string): Promise<OpenLink[]>;
  cancelLinks(email: string, actor: Actor): Promise<unknown>;
  /**
   * Makes a sign-in link below `origin` and mails it, where that is set up. It takes the place of
   * those that work. Null: nobody has this email.
   */
  sendAddress(email: string, origin: string, actor: Actor): Promise<SentLink | null>;
  teams(): Promise<TeamSummary[]>;
  /** Null: there is no team of this name. */
  team(name: string): Promise<TeamSummary | null>;
  /**
   * The service's defaults apply to limits that are absent. `changed_meanwhile`: nothing was set, as they are
   * not those that the operator has `seen`, or others were set at the same time.
   */
  setLimits(
    team: string,
    limits: LimitOverrides,
    actor: Actor,
    seen?: LimitOverrides,
  ): Promise<"saved" | "changed_meanwhile">;
  /** The calls of all teams. */
  usage(): Promise<UsageOfService>;
  /** The newest entries first, those before the entry `before` alone; and the keys that they name. */
  audit(range: { count: number; before?: string | undefined }): Promise<AuditPart>;
};

type AuditPart = { entries: AuditEntry[]; keys: KeyView[] };
