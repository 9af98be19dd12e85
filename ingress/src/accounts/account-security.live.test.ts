// Covers ./open-accounts.ts, ./session.ts and ./sign-in-routes.ts with real Redis servers.
import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Person, storePerson } from "@faceline/accounts/people/person";
import { endSessions, listSessions } from "@faceline/accounts/people/sessions";
import { issueSignInToken } from "@faceline/accounts/people/sign-in-link";
import { storeApiKey } from "@faceline/accounts/keys/api-keys";
import { readConfig } from "@faceline/runtime/config";
import {
  connectDurableRedis,
  connectVolatileRedis,
  DurableRedisConfig,
  VolatileRedisConfig,
} from "@faceline/runtime/redis";
import { peopleKey, personKey, signInKey } from "@faceline/contracts/wire/names";
import { postForm, signIn } from "../../testing/accounts.ts";
import { testServer, waitUntil } from "../../testing/server.ts";
import { HttpSettings } from "../config.ts";
import { type Accounts, openAccounts } from "./open-accounts.ts";

const unknownToken = randomBytes(32).toString("base64url");

test("an id that was put into the browser before signing in is worth nothing afterwards", async (t) => {
  const { app, invite, dashboard } = await service(t);
  const planted = `faceline=${randomBytes(32).toString("base64url")}`;
  const response = await postForm(app, `/sign-in/${await invite()}`, {}, { cookie: planted });
  assert.equal(response.statusCode, 303);
  const given = `faceline=${response.cookies.find(({ value }) => value !== "")!.value}`;
  assert.notEqual(given, planted);
  assert.equal(await dashboard(planted), 303);
  assert.equal(await dashboard(given), 200);
});

test("signing in ends the session that the browser had, which somebody else may have put there", async (t) => {
  const { app, invite, dashboard } = await service(t);
  const first = await signIn(app, await invite());
  const response = await postForm(app, `/sign-in/${await invite()}`, {}, first);
  // The library removes the old cookie first.
  const second = `faceline=${response.cookies.at(-1)!.value}`;
  assert.deepEqual([await dashboard(first.cookie), await dashboard(second)], [303, 200]);
});

test("sessions that were ended are over at the next view: by signing out, for all of a person, for a person who is gone", async (t) => {
  const { app, invite, dashboard, durable, person } = await service(t);
  const [one, two, three] = [
    await signIn(app, await invite()),
    await signIn(app, await invite()),
    await signIn(app, await invite()),
  ];
  await postForm(app, "/sign-out", {}, one);
  assert.deepEqual([await dashboard(one.cookie), await dashboard(two.cookie)], [303, 200]);
  assert.equal(await endSessions(durable, person.email), 2);
  assert.deepEqual([await dashboard(two.cookie), await dashboard(three.cookie)], [303, 303]);
  const four = await signIn(app, await invite());
  await durable.del(personKey(person.email));
  assert.equal(await dashboard(four.cookie), 303);
});

test("views write nothing; once a day a session that is used lives on, but not one that was ended meanwhile", async (t) => {
  let now = Date.now();
  const { app, invite, dashboard, durable, person, accounts } = await service(t, { now: () => now });
  const { cookie } = await signIn(app, await invite());
  const id = cookie.split("=")[1]!;
  const [signedInAt] = (await listSessions(durable, person.email)).map(({ seenAt }) => seenAt);
  await dashboard(cookie);
  assert.equal((await accounts.sessions.find(id))!.seenAt, signedInAt);
  now += 86_400_001;
  const response = await app.inject({ url: "/dashboard", headers: { cookie } });
  assert.equal(response.cookies[0]!.value, id);
  assert.equal((await accounts.sessions.find(id))!.seenAt, now);
  const session = (await accounts.sessions.find(id))!;
  await endSessions(durable, person.email);
  await accounts.sessions.touch(id, session);
  assert.equal(await accounts.sessions.find(id), null);
  assert.equal(await dashboard(cookie), 303);
});

test("programs that open a sign-in link use nothing up: only the button does, and only once", async (t) => {
  const { app, invite } = await service(t);
  const url = `/sign-in/${await invite()}`;
  for (const method of ["GET", "HEAD", "GET", "HEAD"] as const) {
    const opened = await app.inject({ method, url, headers: { purpose: "prefetch" } });
    assert.equal(opened.statusCode, 200);
    assert.equal(opened.headers["set-cookie"], undefined);
  }
  const { body } = await app.inject(url);
  assert.equal(body.match(/<main.*<\/main>/s)![0].match(/<button/g)!.length, 1);
  assert.doesNotMatch(body, /http-equiv|<script(?! src="\/assets\/[^"]+\/theme\.js")/);
  // Pressed by two at once.
  const responses = await Promise.all([postForm(app, url), postForm(app, url)]);
  assert.deepEqual(
    responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
    [303, 404],
  );
});

test("used, expired and unknown addresses get one page, whether they are opened or their button is pressed", async (t) => {
  const { app, invite, durable, person } = await service(t);
  const used = await invite();
  await signIn(app, used);
  const expired = await issueSignInToken(durable, person.email, { hours: 1 });
  // TTL ends it in the same way.
  await durable.del(signInKey(createHash("sha256").update(expired!).digest("hex")));
  const pages = new Set<string>();
  for (const token of [used, expired!, unknownToken, "short", "a".repeat(5_000)]) {
    for (const response of [
      await app.inject(`/sign-in/${token}`),
      await postForm(app, `/sign-in/${token}`),
    ]) {
      assert.equal(response.statusCode, 404);
      pages.add(response.body);
    }
  }
  assert.equal(pages.size, 1);
  assert.match([...pages][0]!, /was used already, has expired, was cancelled/);
});

test("10,000 wrong addresses: few look-ups at a time reach the store, and who has a right one signs in", async (t) => {
  const { app, accounts, invite } = await service(t, { proxies: "127.0.0.1" });
  const token = await invite();
  let [lookups, lookupsMax] = [0, 0];
  const { find } = accounts.signInLinks;
  t.mock.method(accounts.signInLinks, "find", async (each: string) => {
    lookupsMax = Math.max(lookupsMax, ++lookups);
    return find(each).finally(() => lookups--);
  });
  const guess = async (i: number) => {
    const url = `/sign-in/${randomBytes(32).toString("base64url")}`;
    const headers = { "x-forwarded-for": `192.0.2.${i % 10}` };
    return (await app.inject({ url, headers })).statusCode;
  };
  const statuses = new Map<number, number>();
  for (let i = 0; i < 10_000; i += 100) {
    const burst = await Promise.all(Array.from({ length: 100 }, (_, j) => guess(i + j)));
    // Requests that are injected leave no turn of the event loop for Redis and timers.
    await nextTurn();
    for (const status of burst) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.equal(lookupsMax, 16);
  // 10 addresses with 60 tries each; few more become free meanwhile.
  const dead = statuses.get(404) ?? 0;
  assert.ok(dead >= 600 && dead <= 700, `${dead} tries were counted`);
  assert.equal(statuses.get(429), 10_000 - dead);
  // From one of these addresses, as it is for everybody behind a proxy that is not trusted.
  const headers = { "x-forwarded-for": "192.0.2.3" };
  const opened = await app.inject({ url: `/sign-in/${token}`, headers });
  const signedIn = await postForm(app, `/sign-in/${token}`, {}, headers);
  assert.deepEqual([opened.statusCode, signedIn.statusCode], [200, 303]);
});

test("a team's key and a session do not stand for each other, and ids are stored as SHA-256 alone", async (t) => {
  const { app, invite, durable, person } = await service(t);
  const token = await invite();
  const { cookie } = await signIn(app, token);
  const id = cookie.split("=")[1]!;
  const names = await durable.keys("*");
  const values = await Promise.all(names.map((name) => durable.dump(name)));
  const everything = names.join("\n") + values.map(String).join("\n");
  assert.ok(!everything.includes(id) && !everything.includes(token));
  const key = `fl_${randomBytes(32).toString("base64url")}`;
  await storeApiKey(durable, key, { team: person.team, name: "laptop" });
  const byKey = await app.inject({
    url: "/dashboard",
    headers: { "x-api-key": key, cookie: `faceline=${key}` },
  });
  assert.equal(byKey.statusCode, 303);
});

test("limits hold over all ingresses: forms of an address, and mails to an email that nobody has", async (t) => {
  const [one, other] = [
    await service(t, { proxies: "127.0.0.1" }),
    await service(t, { proxies: "127.0.0.1" }),
  ];
  const email = `nobody-${randomUUID()}@example.test`;
  const ask = async ({ app }: Service, from: string) =>
    (await postForm(app, "/sign-in", { email }, { "x-forwarded-for": from })).statusCode;
  const addresses = Array.from({ length: 4 }, () => newAddress());
  const statuses: number[] = [];
  for (const [i, address] of addresses.entries()) statuses.push(await ask(i % 2 ? one : other, address));
  assert.deepEqual(statuses, [303, 303, 303, 429]);
  const flooding = newAddress();
  const forms: number[] = [];
  for (let i = 0; i < 6; i++) {
    const fields = { email: `${randomUUID()}@example.test`, team: "ants", purpose: "" };
    const response = await postForm((i % 2 ? one : other).app, "/waitlist", fields, {
      "x-forwarded-for": flooding,
    });
    forms.push(response.statusCode);
  }
  assert.deepEqual(forms, [303, 303, 303, 303, 303, 429]);
});

test("the waitlist answers alike for an email that waits, for one of a person, and for a new one", async (t) => {
  const { app, person } = await service(t, { proxies: "127.0.0.1" });
  const join = async (email: string) => {
    const response = await postForm(
      app,
      "/waitlist",
      { email, team: "ants" },
      { "x-forwarded-for": newAddress() },
    );
    const { date: _date, "x-request-id": _id, ...headers } = response.headers;
    return { status: response.statusCode, body: response.body, headers };
  };
  const waiting = `${randomUUID()}@example.test`;
  const first = await join(waiting);
  assert.deepEqual(await join(waiting), first);
  assert.deepEqual(await join(person.email), first);
});

test("a mail that was not sent is in the log with the reason, without the email and the address", async (t) => {
  const { app, person, warnings } = await service(t, { proxies: "127.0.0.1" });
  await postForm(app, "/sign-in", { email: person.email }, { "x-forwarded-for": newAddress() });
  await waitUntil("it is logged", async () => warnings.length > 0);
  assert.deepEqual(warnings, [
    {
      reason:
        "The server of SMTP_URL did not take the mail: it cannot be reached, or its certificate is not trusted.",
    },
  ]);
});

/** An ingress with accounts on the Redis servers of the run, and a person of a team of their own. */
async function service(t: TestContext, { now = Date.now, proxies = "" } = {}): Promise<Service> {
  const durable = await connectDurableRedis(readConfig(DurableRedisConfig, process.env));
  const redis = await connectVolatileRedis(readConfig(VolatileRedisConfig, process.env));
  t.after(() => {
    durable.disconnect();
    redis.disconnect();
  });
  const warnings: object[] = [];
  const env = { TRUSTED_PROXIES: proxies };
  const limited = openAccounts({
    durable,
    redis,
    dedupedLog: { warn: (fields) => void warnings.push(fields) },
    // Nobody listens there: what is tested comes before the mail.
    settings: {
      ...HttpSettings.parse(env),
      ...readConfig(DurableRedisConfig, process.env),
      SMTP_URL: "smtp://127.0.0.1:1",
      SMTP_FROM: "faceline@example.test",
    },
  });
  // Many sign-ins come from one address in a test.
  const accounts: Accounts = {
    ...limited,
    countTry: async (limit, who) =>
      limit === "sign_in_address" && proxies === "" ? null : limited.countTry(limit, who),
  };
  const { app } = testServer(t, { accounts, clock: { now }, settings: env });
  const run = randomUUID();
  const person = Person.parse({
    email: `ada-${run}@example.test`,
    team: `ants-${run.slice(0, 8)}`,
    role: "member",
    createdAt: 1,
  });
  await storePerson(durable, person);
  t.after(() => durable.del(personKey(person.email), peopleKey).catch(() => {}));
  return {
    app,
    accounts,
    durable,
    person,
    warnings,
    invite: async () => (await issueSignInToken(durable, person.email, { hours: 24 }))!,
    dashboard: async (cookie) => (await app.inject({ url: "/dashboard", headers: { cookie } })).statusCode,
  };
}

const newAddress = (): string => {
  const groups = Array.from({ length: 4 }, () => randomBytes(2).toString("hex"));
  return `${groups.join(":")}::1`;
};

type Service = {
  app: ReturnType<typeof testServer>["app"];
  accounts: Accounts;
  durable: Awaited<ReturnType<typeof connectDurableRedis>>;
  person: Person;
  warnings: object[];
  /** Makes a sign-in link and returns its token. */
  invite(): Promise<string>;
  /** The status of the dashboard with this cookie. */
  dashboard(cookie: string): Promise<number>;
};
