import { sessionDays } from "@faceline/accounts/people/sessions";
import { randomBytes } from "node:crypto";
import cookie from "@fastify/cookie";
import session from "@fastify/session";
import type { FastifyInstance, FastifyReply, FastifyRequest, Session } from "fastify";
import type { Accounts } from "./open-accounts.ts";
import { PageRefusal } from "./page-refusal.ts";

/**
 * Adds sessions to the routes of a scope: who is signed in, by a random id in a cookie. A visitor without a
 * session gets no cookie, and nothing is stored. An id is not signed: it is 256 random bits already, and a
 * signature would need a secret that all ingresses share.
 */
export async function addSessions(scope: FastifyInstance, parts: SessionParts): Promise<void> {
  await scope.register(cookie);
  await scope.register(session, {
    secret: { sign: (id) => id, unsign: (id) => ({ valid: isSessionId(id), renew: false, value: id }) },
    idGenerator: () => randomBytes(32).toString("base64url"),
    cookieName: sessionCookie(parts).name,
    cookie: sessionCookie(parts).options,
    store: sessionStore(parts.accounts.sessions),
    // The durable Redis syncs every write to its disk.
    saveUninitialized: false,
    rolling: false,
  });
}

/**
 * Begins a session for a person, under a new id: one that somebody has put into the browser before is worth
 * nothing. Throws a PageRefusal if the cookie would not be stored.
 */
export async function beginSession(request: FastifyRequest, email: string, now: number): Promise<void> {
  await request.session.regenerate();
  Object.assign(request.session, { email, createdAt: now, seenAt: now });
  await request.session.save();
}

/**
 * Refuses to sign somebody in if the cookie would be lost: browsers keep a `__Host-` cookie only from https,
 * which an ingress behind a proxy sees only if the proxy is trusted.
 */
export function rejectLostCookie(request: FastifyRequest, parts: SessionParts): void {
  if (isSecure(parts) && request.protocol !== "https") throw new PageRefusal("proxy_unknown");
}

export async function endSession(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: SessionParts,
): Promise<void> {
  const { name, options } = sessionCookie(parts);
  await request.session.destroy();
  reply.clearCookie(name, { ...options, maxAge: 0 });
}

/** A used session is extended once a day, by `sessionDays`: a write at each view would cost too much. */
export function touchSession({ session }: FastifyRequest, now: number): void {
  if (now - session.seenAt! >= touchEveryMs) session.seenAt = now;
}

function sessionCookie(parts: SessionParts) {
  const secure = isSecure(parts);
  // Browsers take `__Host-` cookies from this very host alone, over https alone.
  const name = secure ? "__Host-faceline" : "faceline";
  const options = {
    path: "/",
    httpOnly: true,
    sameSite: "lax",
    secure,
    maxAge: sessionDays * dayMs,
  } as const;
  return { name, options };
}

const isSecure = ({ settings }: SessionParts): boolean => settings.PUBLIC_URL.startsWith("https:");

const isSessionId = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Store for @fastify/session. A session without an email is nobody's, and not stored. */
function sessionStore(sessions: Accounts["sessions"]) {
  const settle = (work: Promise<unknown>, done: (error?: unknown) => void) =>
    void work.then(() => done(), done);
  return {
    get(id: string, done: (error: unknown, session?: Session | null) => void) {
      sessions.find(id).then((found) => done(null, found as Session | null), done);
    },
    set(id: string, { email, createdAt, seenAt }: Session, done: (error?: unknown) => void) {
      if (email === undefined) return done();
      const stored = { email, createdAt: createdAt!, seenAt: seenAt! };
      // A session that was ended meanwhile must not come back.
      const isNew = createdAt === seenAt;
      settle(isNew ? sessions.create(id, stored) : sessions.touch(id, stored), done);
    },
    destroy(id: string, done: (error?: unknown) => void) {
      settle(sessions.end(id), done);
    },
  };
}

const dayMs = 86_400_000;
const touchEveryMs = dayMs;

type SessionParts = {
  accounts: Pick<Accounts, "sessions">;
  settings: { PUBLIC_URL: string };
};

declare module "fastify" {
  /** Absent: nobody is signed in. */
  interface Session {
    email?: string;
    createdAt?: number;
    seenAt?: number;
  }
}
