import { isDeepStrictEqual } from "node:util";
import type { AuditDetails, AuditEntry } from "@faceline/accounts/audit/audit-log";
import type { OpenLink } from "@faceline/accounts/people/sign-in-link";
import type { LimitOverrides } from "@faceline/contracts/stored/team";
import type { ListedKey } from "@faceline/accounts/keys/api-keys";
import type { Person } from "@faceline/accounts/people/person";
import type { Accounts } from "../src/accounts/open-accounts.ts";
import { testNow } from "./server.ts";

/** The admin's side of accounts in memory, over the people of `testAccounts`. Mails are not sent. */
export function testAdmin({ people, waitlist, keys }: TestState): Accounts["admin"] {
  const limits = new Map<string, LimitOverrides>();
  const log: AuditEntry[] = [];
  const openLinks = new Map<string, OpenLink[]>();
  const declined = new Set<string>();
  let made = 0;
  const record = (by: string, action: AuditEntry["action"], on: string, details: AuditDetails = {}) => {
    const id = `${testNow}-${log.length}`;
    log.unshift({ id, at: testNow, by, action, on, requestId: "request-1", details });
  };
  const inTeam = (team: string) => [...people.values()].filter((person) => person.team === team);
  return {
    waitlist: async () =>
      [...waitlist.values()].map((entry) => ({
        ...entry,
        joinedAt: testNow,
        team: people.get(entry.email)?.team ?? null,
        declinedAt: declined.has(entry.email) ? testNow : null,
      })),
    async approve({ email, team, limits: own }, actor) {
      const known = people.get(email);
      if (known !== undefined && known.team !== team) return { kind: "in_other_team", team: known.team };
      const before = limits.get(team) ?? {};
      const after = { ...before, ...own };
      limits.set(team, after);
      const person: Person = known ?? { email, team, role: "member", createdAt: testNow };
      people.set(email, person);
      waitlist.delete(email);
      record(actor.by, "waitlist_approved", email, { team });
      return { kind: "approved", person, limits: { before, after } };
    },
    async decline(email, actor) {
      record(actor.by, "waitlist_declined", email);
      declined.add(email);
      return waitlist.delete(email);
    },
    people: async () => [...people.values()],
    async makeOperator(email) {
      const person = people.get(email);
      return person !== undefined && Object.assign(person, { role: "operator" }) === person;
    },
    sessions: async (email) => [{ email, createdAt: testNow, seenAt: testNow }],
    endSessions: async (email, actor) => record(actor.by, "sessions_ended", email),
    openLinks: async (email) => openLinks.get(email) ?? [],
    async cancelLinks(email, actor) {
      record(actor.by, "sign_in_addresses_cancelled", email);
      return Number(openLinks.delete(email));
    },
    async sendAddress(email, origin) {
      if (!people.has(email)) return null;
      // Time stands still in these tests.
      made++;
      openLinks.set(email, [{ createdAt: testNow + made, expiresAt: testNow + 86_400_000 }]);
      return { kind: "shown", address: `${origin}/sign-in/${"a".repeat(43)}` };
    },
    async teams() {
      const names = new Set([...limits.keys(), ...[...people.values()].map(({ team }) => team)]);
      return [...names].map((team) => ({
        team,
        limits: limits.get(team) ?? {},
        people: inTeam(team).length,
        keys: [...keys.values()].filter((key) => key.team === team).length,
      }));
    },
    async team(name) {
      return (await this.teams()).find(({ team }) => team === name) ?? null;
    },
    async setLimits(team, own, actor, seen) {
      if (seen !== undefined && !isDeepStrictEqual(seen, limits.get(team) ?? {})) return "changed_meanwhile";
      record(actor.by, "limits_set", team, { limits: { before: limits.get(team) ?? {}, after: own } });
      limits.set(team, own);
      return "saved";
    },
    usage: async () => ({
      days: [{ day: "2026-11-22", counts: [{ endpoint: "/verify", outcome: "ok", calls: 7 }] }],
      teams: [{ team: "ants", calls: 7, answered: 7, refused: 0, failed: 0, left: 0 }],
    }),
    async audit({ count, before }) {
      const from = before === undefined ? 0 : log.findIndex(({ id }) => id === before) + 1;
      return { entries: log.slice(from, from + count), keys: [...keys.values()] };
    },
  };
}

type TestState = {
  people: Map<string, Person>;
  waitlist: Map<string, TestEntry>;
  keys: Map<string, ListedKey>;
};

export type TestEntry = { email: string; text: string } & { firstText?: string; sentAgainAt?: number };
