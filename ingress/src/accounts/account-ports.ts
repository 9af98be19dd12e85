import type { MailLanguage } from "@faceline/accounts/mail/sign-in-mail";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import type { KeyView } from "@faceline/web/accounts/key-view";
import type { AdminPorts } from "./admin-ports.ts";
import type { UsageOfTeam } from "./read-team-usage.ts";
import type { SessionStorage } from "./session-storage.ts";

// Types only.

/**
 * Ports of the pages for people. Each function that reads or writes the durable Redis throws while it is
 * unreachable.
 */
export type AccountPorts = {
  /** Whether the durable Redis has answered lately. */
  available(): boolean;
  sessions: SessionStorage;
  /** Null: nobody has this address, or no longer. */
  findPerson(email: string): Promise<Person | null>;
  /** The result is the same for an address that waits already. `full`: nothing was stored. */
  joinWaitlist(entry: WaitlistForm, network: string): Promise<"joined" | "full">;
  signInLinks: {
    /** Whom the address with this token signs in, without a change. Null: used, too old, or unknown. */
    find(token: string): Promise<Person | null>;
    /** The same, and uses the address up: of several calls at once one gets the person. */
    consume(token: string): Promise<Person | null>;
    /** Makes a link for a person and mails it in this language. Does nothing for an email that nobody has. */
    mail(email: string, language: MailLanguage): Promise<void>;
    /** False: no mail server is set, so that only operators hand addresses on. */
    mailed: boolean;
  };
  keys: TeamKeys;
  admin: AdminPorts;
  teamLimits(team: string): Promise<LimitOverrides>;
  teamUsage(team: string): Promise<UsageOfTeam>;
  /** Adds to the audit log that somebody signed in or out. */
  recordAudit(actor: Actor, action: "signed_in" | "signed_out"): Promise<void>;
  /**
   * Counts one try of `who`, an address, an email or a team, over all ingresses. Returns null if it is within
   * the limit, else the milliseconds until another one will be. Does not throw.
   */
  countTry(limit: AccountLimit, who: string): Promise<number | null>;
};

export type Person = { email: string; team: string; role: "member" | "operator" };

export type WaitlistForm = { email: string; text: string };

/**
 * The API keys of one team. The id of another team's key is as unknown as one that nobody has. `actor` is who
 * does it, for the audit log.
 */
type TeamKeys = {
  /** Valid keys of a team. */
  max: number;
  list(team: string): Promise<KeyView[]>;
  /** Returns the key itself, which nobody can look up later. */
  create(team: string, name: string, actor: Actor): Promise<CreatedKey>;
  rename(team: string, id: string, name: string, actor: Actor): Promise<boolean>;
  /** Makes a key that takes the place of another one, which is valid for `overlapHours` more. */
  rotate(team: string, id: string, overlapHours: number, actor: Actor): Promise<RotatedKey>;
  revoke(team: string, id: string, actor: Actor): Promise<boolean>;
};

/** `none`: the team has no such key, or it is refused already. `too_many`: it has as many as it may. */
export type CreatedKey =
  | { kind: "created"; key: string; id: string }
  | { kind: "none" }
  | { kind: "too_many" };
/** `rotated`: there is a newer key in its place already. */
type RotatedKey = CreatedKey | { kind: "rotated" };

export type Actor = { by: string; requestId: string };

/**
 * Forms of an address, and those of the waitlist of its network; mails to an email; sign-in links that an
 * address opens; changes of a team's keys.
 */
export type AccountLimit = "form" | "network_form" | "mail" | "sign_in_address" | "key";
