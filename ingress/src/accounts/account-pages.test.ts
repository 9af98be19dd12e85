// Covers the pages for people, with accounts in memory: guards, refusals, headers, forged forms.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { metricsOff } from "@faceline/runtime/metrics/metrics";
import { pageHeaders } from "@faceline/web/headers";
import {
  member,
  operator,
  ownForm,
  postForm,
  routesOf,
  signIn,
  testAccounts,
} from "../../testing/accounts.ts";
import { testServer, waitUntil } from "../../testing/server.ts";

// One server for most tests: every server renders all pages itself.
const context = { after, diagnostic: console.error };
const accounts = testAccounts();
const reported: unknown[] = [];
const { app } = testServer(context, {
  accounts: accounts.ports,
  reportBug: (error) => void reported.push(error),
});
after(() => assert.deepEqual(reported.length, 1, "only the fault that a test makes"));
const ada = await signIn(app, accounts.invite(member));
const olga = await signIn(app, accounts.invite(operator));

const unknownToken = "a".repeat(43);
const markup = `"><img src=x onerror=alert(1)>'</textarea><script>`;

test("every page for people has the strict policy, is not stored, not indexed and not compressed", async () => {
  const pages = [
    ["/waitlist", 200],
    ["/waitlist/joined", 200],
    ["/sign-in", 200],
    ["/sign-in/sent", 200],
    [`/sign-in/${accounts.invite(member)}`, 200],
    [`/sign-in/${unknownToken}`, 404],
    ["/sign-in/", 404],
    ["/waitlist/nothing", 404],
    ["/dashboard", 200],
    ["/dashboard/keys/none", 404],
    ["/admin/x", 404],
  ] as const;
  for (const [url, status] of pages) {
    const headers = url.startsWith("/dashboard") || url.startsWith("/admin") ? ada : {};
    const response = await app.inject({ url, headers: { ...headers, "accept-encoding": "gzip, br" } });
    assert.equal(response.statusCode, status, url);
    for (const [name, value] of Object.entries(pageHeaders)) assert.equal(response.headers[name], value, url);
    assert.equal(response.headers["cache-control"], "no-store");
    assert.equal(response.headers["x-robots-tag"], "noindex");
    assert.equal(response.headers["content-encoding"], undefined);
    assert.equal(response.headers["content-type"], "text/html; charset=utf-8");
    assert.match(response.body, /<h1>[^<]+<\/h1>/);
  }
});

test("a visitor gets no cookie, and nothing is stored, before the button of a sign-in link is pressed", async () => {
  const sessionsBefore = accounts.sessions.size;
  const token = accounts.invite(member);
  for (const url of ["/", "/docs", "/waitlist", "/sign-in", `/sign-in/${token}`, "/dashboard", "/nothing"]) {
    const response = await app.inject(url);
    assert.equal(response.headers["set-cookie"], undefined, url);
  }
  const form = await postForm(app, "/waitlist", { email: "new@example.test", team: "ants", purpose: "" });
  assert.equal(form.headers["set-cookie"], undefined);
  assert.equal(accounts.sessions.size, sessionsBefore);
});

test("the session's cookie is out of reach of scripts and of other sites", async () => {
  const plain = await postForm(app, `/sign-in/${accounts.invite(member)}`);
  const [cookie] = plain.cookies;
  assert.deepEqual(
    { ...cookie, value: "", expires: undefined },
    { name: "faceline", value: "", path: "/", httpOnly: true, sameSite: "Lax", expires: undefined },
  );
  const days = (cookie!.expires!.getTime() - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days < 30.1, `${days}`);
});

test("behind TLS the cookie is Secure and bound to the host, and without a trusted proxy no address is used up", async () => {
  const { ports, invite } = testAccounts();
  const settings = { PUBLIC_URL: "https://faces.example", TRUSTED_PROXIES: "127.0.0.1" };
  const { app: secure } = testServer(context, { accounts: ports, settings });
  const token = invite(member);
  const refused = await postForm(secure, `/sign-in/${token}`);
  assert.equal(refused.statusCode, 503);
  assert.match(refused.body, /TRUSTED_PROXIES/);
  const response = await postForm(secure, `/sign-in/${token}`, {}, { "x-forwarded-proto": "https" });
  const { name, secure: isSecure, path, domain } = response.cookies[0] as never as Record<string, unknown>;
  assert.deepEqual([name, isSecure, path, domain], ["__Host-faceline", true, "/", undefined]);
});

test("forged forms are refused as a page on every route that takes one, before anything else happens", async (t) => {
  const { cookie } = await signIn(app, accounts.invite(member));
  const counted = t.mock.method(accounts.ports, "countTry");
  const unsafe = routesOf(app).filter(
    ({ method, path }) =>
      !["GET", "HEAD", "OPTIONS"].includes(method) && /^\/(waitlist|sign-|dashboard|admin)/.test(path),
  );
  assert.ok(unsafe.length > 10, JSON.stringify(unsafe));
  const forged = [
    {},
    { origin: "https://evil.example" },
    { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    { "sec-fetch-site": "same-site" },
    { origin: "null" },
  ];
  for (const { method, path } of unsafe) {
    for (const headers of forged) {
      const url = path.replace("*", "x").replace(":id", "x");
      const response = await app.inject({
        method: method as "POST",
        url,
        headers: { cookie, ...headers, "content-type": ownForm["content-type"] },
      });
      assert.equal(response.statusCode, 403, `${method} ${url} ${JSON.stringify(headers)}`);
      assert.match(response.body, /This form came from another site/);
    }
  }
  assert.equal(counted.mock.callCount(), 0);
  // The session is still there: signing out was among the forged forms.
  assert.equal((await app.inject({ url: "/dashboard", headers: { cookie } })).statusCode, 200);
});

test("no other site may frame a page, and no page lets other origins read with cookies", async () => {
  const { ports, invite } = testAccounts();
  const { app: server } = testServer(context, {
    accounts: ports,
    settings: { CORS_ORIGINS: "https://other.example" },
  });
  const { cookie } = await signIn(server, invite(member));
  const response = await server.inject({
    url: "/dashboard",
    headers: { cookie, origin: "https://other.example" },
  });
  assert.match(String(response.headers["content-security-policy"]), /frame-ancestors 'none'/);
  assert.equal(response.headers["x-frame-options"], "DENY");
  assert.equal(response.headers["access-control-allow-credentials"], undefined);
});

test("every admin route is no page for a team's session, and leads others to /sign-in", async () => {
  const admin = routesOf(app).filter(({ path }) => path.startsWith("/admin"));
  assert.ok(admin.length > 1, JSON.stringify(admin));
  for (const { method, path } of admin) {
    if (method === "OPTIONS") continue;
    const url = path.replace("*", "x").replaceAll(/:\w+/g, "x");
    const call = (headers: object) =>
      app.inject({ method: method as "GET", url, headers: { ...ownForm, ...headers } });
    assert.equal((await call(ada)).statusCode, 404, `${method} ${url}`);
    const signedOut = await call({});
    assert.deepEqual([signedOut.statusCode, signedOut.headers.location], [303, "/sign-in"], url);
  }
});

test("who is not signed in is led from every page of the dashboard to /sign-in", async () => {
  for (const { method, path } of routesOf(app)) {
    if (!path.startsWith("/dashboard") || method === "OPTIONS") continue;
    const url = path.replace("*", "x").replace(":id", "x");
    const response = await app.inject({ method: method as "GET", url, headers: ownForm });
    assert.deepEqual([response.statusCode, response.headers.location], [303, "/sign-in"], `${method} ${url}`);
  }
});

test("who signs in, or is signed in already, gets to the page of their role", async () => {
  const home = { [member.email]: "/dashboard", [operator.email]: "/admin" };
  for (const person of [member, operator]) {
    const token = accounts.invite(person);
    const response = await postForm(app, `/sign-in/${token}`);
    assert.equal(response.headers.location, home[person.email]);
    const headers = { cookie: `faceline=${response.cookies[0]!.value}` };
    for (const url of ["/sign-in", "/sign-out"]) {
      assert.equal((await app.inject({ url, headers })).headers.location, home[person.email], url);
    }
  }
  assert.equal((await app.inject("/sign-out")).headers.location, "/dashboard");
});

test("the header shows a visitor the way in, a member the dashboard, an operator the admin pages", async () => {
  const links = async (headers: Record<string, string>) => {
    const { body } = await app.inject({ url: "/waitlist", headers });
    return Array.from(
      /<nav aria-label="Account".*?<\/nav>/s.exec(body)![0].matchAll(/href="([^"]+)"/g),
      ([, to]) => to,
    );
  };
  assert.deepEqual(await links({}), ["/dashboard"]);
  assert.deepEqual(await links(ada), ["/dashboard"]);
  assert.deepEqual(await links(olga), ["/dashboard", "/admin"]);
  assert.match((await app.inject("/")).body, /Signing in sets the only cookie\./);
});

test("a service with a public address leads visitors from the waitlist to a key, one's own machine to the key that is there", async () => {
  const settings = { PUBLIC_URL: "https://faces.example" };
  const { app: shared } = testServer(context, { accounts: accounts.ports, settings });
  const way =
    /<a href="\/waitlist">.*<\/a>\. Once you are approved, create a key on your dashboard, <a href="\/dashboard">/;
  assert.match((await shared.inject("/docs/quick-start")).body, way);
  assert.match((await shared.inject("/")).body, /aria-label="Account".*<a href="\/waitlist">Waitlist/s);
  const { body } = await app.inject("/docs/quick-start");
  assert.match(body, /FACELINE_KEY&#61;\$\(cat \.faceline\/dev-key\)/);
  for (const path of ["/", "/docs/quick-start", "/docs/keys", "/sign-in"])
    assert.doesNotMatch((await app.inject(path)).body, /\/waitlist/, path);
});

test("without accounts there are no links to them, no pages, and no cookies", async () => {
  const { app: without } = testServer(context);
  const { body } = await without.inject("/");
  assert.doesNotMatch(body, /aria-label="Account"|\/waitlist|\/sign-in/);
  assert.match(body, /set no cookies/);
  for (const url of ["/waitlist", "/sign-in", "/dashboard"]) {
    assert.equal((await without.inject(url)).statusCode, 404);
  }
});

test("while the durable Redis is away signing in says so, and the tester and documents go on", async (t) => {
  const token = accounts.invite(member);
  t.mock.method(accounts.ports, "available", () => false);
  t.mock.method(accounts.ports.sessions, "find", () => Promise.reject(new Error("Connection is closed.")));
  const cookie = `faceline=${"x".repeat(43)}`;
  const responses = [
    await app.inject("/waitlist"),
    await app.inject("/sign-in"),
    await app.inject(`/sign-in/${token}`),
    await postForm(app, `/sign-in/${token}`),
    await postForm(app, "/sign-in", { email: member.email }),
    await postForm(app, "/waitlist", { email: member.email, team: "ants" }),
    // A session that cannot be read is not one that has ended.
    await app.inject({ url: "/dashboard", headers: { cookie } }),
    await app.inject({ url: "/sign-in", headers: { cookie } }),
  ];
  for (const response of responses) {
    assert.equal(response.statusCode, 503);
    assert.match(response.body, /<h1>Signing in is not possible right now<\/h1>/);
    assert.equal(response.headers["retry-after"], "60");
    assert.equal(response.headers["set-cookie"], undefined);
  }
  for (const url of ["/", "/docs", "/tester/sample-answer"]) {
    assert.equal((await app.inject({ url, headers: { cookie } })).statusCode, 200, url);
  }
});

test("a form that is too large, compressed or none at all is refused as a page", async () => {
  const bodies = [
    { payload: `email=${"a".repeat(20_000)}`, headers: ownForm },
    { payload: '{"email":"a@example.test"}', headers: { ...ownForm, "content-type": "application/json" } },
    { payload: "email=a", headers: { ...ownForm, "content-encoding": "gzip" } },
    { payload: "email=a@example.test&email=b@example.test", headers: ownForm },
  ];
  for (const body of bodies) {
    const response = await app.inject({ method: "POST", url: "/sign-in", ...body });
    assert.equal(response.statusCode, 400);
    assert.match(response.body, /<h1>The form could not be read<\/h1>/);
  }
});

test("what a form of the waitlist holds comes back with what is wrong, and as text", async () => {
  const response = await postForm(app, "/waitlist", { email: markup, team: "", purpose: markup });
  assert.equal(response.statusCode, 400);
  assert.match(response.body, /This is not an email address/);
  assert.match(response.body, /Enter a name of 1 to 64 characters/);
  assert.ok(!response.body.includes("<img"), response.body);
  const joined = await postForm(app, "/waitlist", {
    email: "Bob@Example.test ",
    team: "bees",
    purpose: "Doors.",
  });
  assert.deepEqual([joined.statusCode, joined.headers.location], [303, "/waitlist/joined"]);
  assert.deepEqual(accounts.waitlist.get("bob@example.test"), {
    email: "bob@example.test",
    text: "Team: bees\nDoors.",
  });
});

test("a form with an error does not count against the limit of forms", async (t) => {
  const counted = t.mock.method(accounts.ports, "countTry");
  for (const [url, fields] of [
    ["/waitlist", { email: "ada", team: "ants", purpose: "" }],
    ["/waitlist", { email: "ada@example.test", team: "", purpose: "" }],
    ["/sign-in", { email: "ada" }],
  ] as const) {
    assert.equal((await postForm(app, url, fields)).statusCode, 400, url);
  }
  assert.equal(counted.mock.callCount(), 0);
  await postForm(app, "/waitlist", { email: "cy@example.test", team: "ants", purpose: "" });
  assert.equal(counted.mock.callCount(), 2);
});

test("a sign-in link that does not work says why, and to who is signed in where to go", async () => {
  const read = async (headers: Record<string, string>) =>
    (await app.inject({ url: `/sign-in/${unknownToken}`, headers })).body;
  const visitors = await read({});
  assert.match(visitors, /was used already, has expired, was cancelled, or was not copied completely/);
  assert.match(visitors, /<a class="button" href="\/sign-in">Get a new sign-in link<\/a>/);
  assert.doesNotMatch(visitors, /Signed in/);
  assert.match(await read(ada), /Signed in as \S+ <a href="\/dashboard">Go to your dashboard<\/a>/);
  assert.match(await read(olga), /Signed in as \S+ <a href="\/admin">Go to the admin pages<\/a>/);
});

test("/sign-in answers before anybody is looked up, alike for everybody", async (t) => {
  const lookup = Promise.withResolvers<void>();
  const lookedUp: string[] = [];
  t.mock.method(accounts.ports.signInLinks, "mail", (email: string) => {
    lookedUp.push(email);
    // Whatever it takes, nobody waits for it.
    return lookup.promise;
  });
  const found = t.mock.method(accounts.ports, "findPerson");
  const emails = [member.email, "nobody@example.test"];
  for (const email of emails) {
    const { statusCode, body, headers } = await postForm(app, "/sign-in", { email });
    assert.deepEqual([statusCode, body, headers.location], [303, "", "/sign-in/sent"]);
  }
  assert.equal(found.mock.callCount(), 0);
  // One at a time: the second one waits for the first, and both responses have been there for long.
  assert.deepEqual(lookedUp, [member.email]);
  lookup.resolve();
  await waitUntil("the second email is looked up", async () => lookedUp.length === 2);
  assert.deepEqual(lookedUp, emails);
});

test("above a limit of tries there is a page that says when to come back, for unknown emails too", async (t) => {
  const counted: [string, string][] = [];
  const before = Date.now();
  t.mock.method(accounts.ports, "countTry", async (limit: string, who: string) => {
    counted.push([limit, who]);
    return limit === "mail" ? 20 * 60_000 : null;
  });
  for (const email of [member.email, "nobody@example.test"]) {
    const response = await postForm(app, "/sign-in", { email });
    assert.equal(response.statusCode, 429);
    assert.equal(response.headers["retry-after"], "1200");
    assert.match(response.body, /<h1>Too many attempts<\/h1>.*Your entry was not sent\./s);
    const [, at = ""] = /Retry in 20 minutes \(<time datetime="([^"]+)">/.exec(response.body) ?? [];
    assert.ok(Date.parse(at) >= before + 20 * 60_000, at);
  }
  assert.deepEqual(counted.slice(2), [
    ["form", "127.0.0.1"],
    ["mail", "nobody@example.test"],
  ]);
});

test("a sign-in link that works is answered above the limit, and counts as no try", async (t) => {
  const counted = t.mock.method(accounts.ports, "countTry", async () => 60_000);
  const url = `/sign-in/${accounts.invite(member)}`;
  assert.equal((await app.inject(url)).statusCode, 200);
  assert.equal((await postForm(app, url)).statusCode, 303);
  assert.equal(counted.mock.callCount(), 0);
  for (const dead of [url, `/sign-in/${unknownToken}`, "/sign-in/x"]) {
    assert.equal((await app.inject(dead)).statusCode, 429, dead);
    assert.equal((await postForm(app, dead)).statusCode, 429, dead);
  }
});

test("where no mail server is set, /sign-in says whom to ask, and has no form", async () => {
  const { ports } = testAccounts();
  const signInLinks = { ...ports.signInLinks, mailed: false };
  const { app: server } = testServer(context, { accounts: { ...ports, signInLinks } });
  const { body } = await server.inject("/sign-in");
  assert.match(body, /npm run keys -- operator --email YOU<\/code> prints one; otherwise ask its operator/);
  assert.doesNotMatch(body, /<form method="post" action="\/sign-in"/);
});

test("signing out ends the session and removes the cookie", async () => {
  const { cookie } = await signIn(app, accounts.invite(member));
  const response = await postForm(app, "/sign-out", {}, { cookie });
  assert.deepEqual([response.statusCode, response.headers.location], [303, "/sign-in?signed-out"]);
  assert.equal(response.cookies[0]!.value, "");
  assert.equal((await app.inject({ url: "/dashboard", headers: { cookie } })).statusCode, 303);
});

test("whoever opens the address of somebody else while signed in reads whose session it ends", async () => {
  const url = `/sign-in/${accounts.invite(member)}`;
  const [byOperator, byMember] = await Promise.all(
    [olga, ada].map((headers) => app.inject({ url, headers })),
  );
  const text = byOperator!.body.replaceAll(/\s+/g, " ");
  assert.ok(
    text.includes(
      `This browser is signed in as ${operator.email}. The button ends that session and signs in ${member.email}.`,
    ),
  );
  assert.match(byMember!.body, new RegExp(`You are already signed in as ${member.email}`));
  assert.doesNotMatch((await app.inject(url)).body, /signed in as/i);
});

test("a page that has a fault of its own names the request id and no detail", async (t) => {
  t.mock.method(accounts.ports, "teamLimits", () => Promise.reject(new Error("secret detail")));
  reported.length = 0;
  const response = await app.inject({ url: "/dashboard", headers: { ...ada, "x-request-id": "id-417" } });
  assert.equal(response.statusCode, 500);
  assert.match(response.body, /id-417/);
  assert.doesNotMatch(response.body, /secret detail/);
  assert.equal(reported.length, 1);
});

test("a sign-in link, an email and a key are in no label of a metric and in no header", async () => {
  const { ports, invite } = testAccounts();
  const labels: string[] = [];
  const metrics = {
    ...metricsOff,
    on: true,
    add: (...event: unknown[]) => void labels.push(JSON.stringify(event)),
    record: (...event: unknown[]) => void labels.push(JSON.stringify(event)),
  };
  const { app: server } = testServer(context, { accounts: ports, metrics });
  const token = invite(member);
  const opened = await server.inject(`/sign-in/${token}`);
  const { cookie } = await signIn(server, token);
  await server.inject({ url: "/dashboard", headers: { cookie } });
  assert.ok(labels.some((label) => label.includes("/sign-in/*")));
  for (const secret of [token, member.email, cookie.split("=")[1]!]) {
    assert.ok(!labels.join("\n").includes(secret));
    assert.ok(!JSON.stringify(opened.headers).includes(secret));
  }
  assert.equal(opened.headers["referrer-policy"], "no-referrer");
});
