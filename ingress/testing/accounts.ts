import { randomBytes, randomUUID } from "node:crypto";
import { subscribe } from "node:diagnostics_channel";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import type { ListedKey } from "@faceline/accounts/keys/api-keys";
import type { Person } from "@faceline/accounts/people/person";
import type { Accounts, StoredSession } from "../src/accounts/open-accounts.ts";
import { testAdmin, type TestEntry } from "./admin.ts";
import { testNow } from "./server.ts";

/** Accounts in memory, for tests of pages; the real ones are tested with a real Redis. */
export function testAccounts(overrides: Partial<Accounts> = {}): TestAccounts {
  const people = new Map<string, Person>();
  const tokens = new Map<string, string>();
  const sessions = new Map<string, StoredSession>();
  const waitlist = new Map<string, TestEntry>();
  const keys = new Map<string, ListedKey>();
  const teamOf = (team: string) => [...keys.values()].filter((key) => key.team === team);
  const create = (team: string, name: string) => {
    const id = randomUUID();
    const key = `fl_${randomBytes(32).toString("base64url")}`;
    const prefix = key.slice(0, 12);
    const sha256 = randomBytes(32).toString("hex");
    keys.set(id, { sha256, id, name, team, prefix, createdAt: testNow, lastUsedAt: null, disabled: false });
    return { kind: "created", key, id } as const;
  };
  const own = (team: string, id: string) => teamOf(team).find((key) => key.id === id);
  const personOf = (email: string | undefined) => people.get(email ?? "") ?? null;
  const ports: Accounts = {
    available: () => true,
    sessions: {
      find: async (id) => sessions.get(id) ?? null,
      create: async (id, session) => void sessions.set(id, session),
      touch: async (id, session) => void (sessions.has(id) && sessions.set(id, session)),
      end: async (id) => void sessions.delete(id),
    },
    findPerson: async (email) => personOf(email),
    async joinWaitlist(entry) {
      const { text: firstText } = waitlist.get(entry.email) ?? {};
      const again = firstText === undefined ? {} : { firstText, sentAgainAt: testNow };
      waitlist.set(entry.email, { ...entry, ...again });
      return "joined";
    },
    signInLinks: {
      find: async (token) => personOf(tokens.get(token)),
      async consume(token) {
        const person = personOf(tokens.get(token));
        tokens.delete(token);
        return person;
      },
      mail: async () => {},
      mailed: true,
    },
    keys: {
      max: 20,
      list: async (team) => teamOf(team),
      create: async (team, name) => (teamOf(team).length >= 20 ? { kind: "too_many" } : create(team, name)),
      async rename(team, id, name) {
        const key = own(team, id);
        return key !== undefined && Object.assign(key, { name }) === key;
      },
      async rotate(team, id, overlapHours) {
        const key = own(team, id);
        if (key === undefined) return { kind: "none" };
        if (key.expiresAt !== undefined) return { kind: "rotated" };
        key.expiresAt = testNow + overlapHours * 3_600_000;
        return create(team, key.name);
      },
      async revoke(team, id) {
        const key = own(team, id);
        return key !== undefined && Object.assign(key, { disabled: true }) === key;
      },
    },
    admin: testAdmin({ people, waitlist, keys }),
    teamLimits: async () => ({}),
    teamUsage: async () => ({ days: [], errors: [] }),
    recordAudit: async () => {},
    countTry: async () => null,
    ...overrides,
  };
  return {
    ports,
    people,
    sessions,
    waitlist,
    keys,
    invite(person) {
      people.set(person.email, person);
      const token = randomBytes(32).toString("base64url");
      tokens.set(token, person.email);
      return token;
    },
  };
}

export const member: Person = { email: "ada@example.test", team: "ants", role: "member", createdAt: testNow };
export const operator: Person = { ...member, email: "olga@example.test", team: "staff", role: "operator" };

/** Headers that Chromium sends with forms of this service's own pages. */
export const ownForm = {
  "sec-fetch-site": "same-origin",
  "content-type": "application/x-www-form-urlencoded",
};

/** Sends a form as a browser does. */
export const postForm = (
  app: FastifyInstance,
  url: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> =>
  app.inject({
    method: "POST",
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: { ...ownForm, ...headers },
  });

/** Opens a sign-in link, presses its button, and returns the header that later requests need. */
export async function signIn(app: FastifyInstance, token: string): Promise<{ cookie: string }> {
  const response = await postForm(app, `/sign-in/${token}`);
  const [cookie] = response.cookies;
  if (response.statusCode !== 303 || cookie === undefined)
    throw new Error(`not signed in: ${response.statusCode}`);
  return { cookie: `${cookie.name}=${cookie.value}` };
}

/**
 * Every route of a server, with each of its methods. Fastify's own list leaves out parts of paths, so servers
 * are watched from the moment that they are created.
 */
export const routesOf = (app: FastifyInstance): Route[] => routes.get(app) ?? [];

const routes = new WeakMap<FastifyInstance, Route[]>();

subscribe("fastify.initialization", (message) => {
  const { fastify } = message as { fastify: FastifyInstance };
  const all: Route[] = [];
  routes.set(fastify, all);
  fastify.addHook("onRoute", ({ method, url }) => {
    for (const each of [method].flat()) all.push({ method: each, path: url });
  });
});

type Route = { method: string; path: string };

type TestAccounts = {
  ports: Accounts;
  people: Map<string, Person>;
  sessions: Map<string, StoredSession>;
  waitlist: Map<string, TestEntry>;
  keys: Map<string, ListedKey>;
  /** Stores a person and returns the token of a sign-in link. */
  invite(person: Person): string;
};
