// Covers ./dashboard-routes.ts and its pages, with accounts in memory.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { member, postForm, signIn, testAccounts } from "../../testing/accounts.ts";
import { testServer } from "../../testing/server.ts";

const accounts = testAccounts();
const { app } = testServer({ after, diagnostic: console.error }, { accounts: accounts.ports });
const ada = await signIn(app, accounts.invite(member));
const eve = await signIn(app, accounts.invite({ ...member, email: "eve@example.test", team: "eels" }));

const get = async (url: string, headers: { cookie: string }) => app.inject({ url, headers });
const keysOf = (team: string) => [...accounts.keys.values()].filter((key) => key.team === team);
const markup = `<img src=x onerror=alert(1)>"'`;

test("a key is shown once, with a call that holds it, and never again", async () => {
  assert.match((await get("/dashboard", ada)).body, /This team has no key yet/);
  const { statusCode, body } = await postForm(app, "/dashboard/keys", { name: "laptop" }, ada);
  assert.equal(statusCode, 200);
  const [key] = /fl_[\w-]{43}/.exec(body)!;
  assert.match(
    body.replaceAll(/<[^>]+>/g, ""),
    new RegExp(`curl -sS \\S+/verify \\\\\\s+-H &#34;x-api-key: ${key}&#34;`),
  );
  const [, reload = ""] = /data-reload="([^"]+)"/.exec(
    body.replaceAll("&#61;", "=").replaceAll("&#38;", "&"),
  )!;
  const later = (await get(reload, ada)).body;
  assert.match(later, /role="status">The key “laptop” was created\. It cannot be shown/);
  assert.ok(!later.includes(key));
  assert.ok(later.includes(`${key.slice(0, 12)}…`));
  assert.match(later, />never<[^]*“Last used” can lag by a minute/);
  const [address] = /http:\/\/[^<]*?(\/assets\/\S+\/ada-1\.jpg)/
    .exec(body.replaceAll(/<[^>]+>/g, ""))!
    .slice(1);
  assert.equal((await app.inject(address!)).statusCode, 200);
});

test("names are changed, and shown as text wherever a key is", async () => {
  const [key] = keysOf("ants");
  const renamed = await postForm(app, `/dashboard/keys/${key!.id}/rename`, { name: markup }, ada);
  assert.equal(renamed.statusCode, 303);
  assert.match(
    (await get(renamed.headers.location!, ada)).body,
    /role="status">The key is now called “&#60;img/,
  );
  for (const url of ["", "/rename", "/rotate", "/revoke"].map((verb) =>
    verb === "" ? "/dashboard" : `/dashboard/keys/${key!.id}${verb}`,
  )) {
    const { body, statusCode } = await get(url, ada);
    assert.equal(statusCode, 200);
    assert.ok(!body.includes("<img"), url);
    assert.ok(body.includes("&#60;img"), url);
  }
  const created = await postForm(app, "/dashboard/keys", { name: markup }, ada);
  assert.ok(!created.body.includes("<img") && created.body.includes("&#60;img"));
});

test("a name that is empty, too long, or turns the direction of text comes back with what is wrong", async () => {
  const before = keysOf("ants").length;
  for (const name of ["", "   ", "x".repeat(65), "a\u202eb", "a\u0000b", "a\u001bb"]) {
    const response = await postForm(app, "/dashboard/keys", { name }, ada);
    assert.equal(response.statusCode, 400);
    assert.match(response.body, /Enter a name of 1 to 64 characters/);
    assert.match(response.body, /role="alert">[^]*<a href="#name">Name of a new key<[^]*id="keys"/);
  }
  assert.equal(keysOf("ants").length, before);
});

test("rotating a key says for how long the old one stays valid, and the new one is shown", async () => {
  const [old] = keysOf("ants");
  const path = `/dashboard/keys/${old!.id}`;
  const { body: page } = await get(`${path}/rotate`, ada);
  assert.match(page, /The old key stays valid for a while/);
  const options = [...page.matchAll(/<option value="(\d+)"( selected)?>([^<]+)</g)].map((each) =>
    each.slice(1),
  );
  assert.deepEqual(options, [
    ["1", undefined, "1 hour"],
    ["24", " selected", "1 day"],
    ["168", undefined, "7 days"],
  ]);
  const odd = await postForm(app, `${path}/rotate`, { overlap: "100000" }, ada);
  assert.equal(odd.statusCode, 400);
  const response = await postForm(app, `${path}/rotate`, { overlap: "24" }, ada);
  assert.match(response.body, /fl_[\w-]{43}/);
  assert.match(response.body, /The old key stays valid for 1 day\. Update your programs by then\./);
  assert.match((await get("/dashboard", ada)).body, /rotated: valid until <time datetime="2027-01-16T08:00/);
});

test("a key that was rotated is not rotated again, also by a form that is sent twice", async () => {
  const [old] = keysOf("ants");
  const path = `/dashboard/keys/${old!.id}`;
  const { body } = await get("/dashboard", ada);
  assert.ok(body.includes(`${path}/revoke`) && body.includes(`${path}/rename`));
  assert.ok(!body.includes(`${path}/rotate`));
  const before = keysOf("ants").length;
  const again = await postForm(app, `${path}/rotate`, { overlap: "1" }, ada);
  assert.equal(again.statusCode, 409);
  assert.match(
    again.body,
    /This key was rotated already[^]*No key was created[^]*valid until <time datetime="2027-01-16T08:00/,
  );
  assert.equal(keysOf("ants").length, before);
  assert.match((await get("/dashboard", ada)).body, /rotated: valid until <time datetime="2027-01-16T08:00/);
});

test("revoking asks first, and then the key is gone from what can be changed", async () => {
  const [key] = keysOf("ants");
  const question = await get(`/dashboard/keys/${key!.id}/revoke`, ada);
  assert.match(question.body, /This cannot be undone/);
  assert.equal(accounts.keys.get(key!.id)!.disabled, false);
  const revoked = await postForm(app, `/dashboard/keys/${key!.id}/revoke`, {}, ada);
  assert.equal(revoked.statusCode, 303);
  const { body } = await get(revoked.headers.location!, ada);
  assert.match(body, /role="status">The key “[^”]+” is revoked\. Requests with it are refused from now on/);
  // About another team's key nothing is said.
  assert.doesNotMatch((await get(revoked.headers.location!, eve)).body, /is revoked/);
  assert.equal(accounts.keys.get(key!.id)!.disabled, true);
  const gone = await get(`/dashboard/keys/${key!.id}/rotate`, ada);
  assert.equal(gone.statusCode, 404);
  assert.match(gone.body, /<h1>This key was revoked<[^]*<li><a href="\/dashboard">/);
  assert.doesNotMatch((await get(`/dashboard/keys/${key!.id}/rotate`, eve)).body, /was revoked/);
  assert.match((await get("/dashboard", ada)).body, /revoked/);
});

test("another team's key is no page, and nothing can be done to it", async () => {
  const key = keysOf("ants").find(({ disabled }) => !disabled)!;
  const before = { ...key };
  const forms = { rename: { name: "mine" }, rotate: { overlap: "1" }, revoke: {} };
  for (const [action, fields] of Object.entries(forms)) {
    assert.equal((await get(`/dashboard/keys/${key.id}/${action}`, eve)).statusCode, 404);
    const response = await postForm(app, `/dashboard/keys/${key.id}/${action}`, fields, eve);
    assert.equal(response.statusCode, 404, action);
  }
  assert.deepEqual(key, before);
  assert.equal(keysOf("eels").length, 0);
  assert.ok(!(await get("/dashboard", eve)).body.includes(key.id));
});

test("a team that has as many keys as it may have gets a page that says so", async () => {
  while (keysOf("eels").length < 20) await postForm(app, "/dashboard/keys", { name: "one more" }, eve);
  const response = await postForm(app, "/dashboard/keys", { name: "too many" }, eve);
  assert.equal(response.statusCode, 409);
  assert.match(response.body, /The team has too many keys/);
});

test("the limits that hold are shown: the team's own, else those of the service", async () => {
  const own = testAccounts({ teamLimits: async () => ({ requestsPerSecond: 7, inFlightMax: 0 }) });
  const { app: server } = testServer({ after, diagnostic: console.error }, { accounts: own.ports });
  const { body } = await server.inject({
    url: "/dashboard",
    headers: await signIn(server, own.invite(member)),
  });
  const limits = body.slice(body.indexOf('id="limits"')).replaceAll(/<[^>]+>/g, " ");
  assert.match(limits, /Requests per second\s+7\s/);
  assert.match(limits, /Burst\s+100\s/);
  assert.match(limits, /Requests in flight\s+unlimited\s/);
});

test("a team sees its own calls and recent errors", async () => {
  const teamsRead: string[] = [];
  const call = { at: 1, endpoint: "/verify", requestId: "the-call", keyId: "key-1" };
  const own = testAccounts({
    async teamUsage(team) {
      teamsRead.push(team);
      return {
        days: [{ day: "2026-11-22", counts: [{ endpoint: "/verify", outcome: "queue_full", calls: 7 }] }],
        errors: [{ code: "queue_full", newest: [call] }],
      };
    },
  });
  const key = { id: "key-1", sha256: "", name: "badge reader", team: member.team, createdAt: 1 };
  own.keys.set(key.id, { ...key, lastUsedAt: null, disabled: false });
  const { app: server } = testServer({ after, diagnostic: console.error }, { accounts: own.ports });
  const { body } = await server.inject({
    url: "/dashboard",
    headers: await signIn(server, own.invite(member)),
  });
  assert.deepEqual(teamsRead, [member.team]);
  assert.match(body, /<svg[^]*22 Nov, \/verify: 7</);
  assert.match(body, /queue_full[^]*>badge reader<[^]*<code>the-call<\/code>/);
});

test("a team that creates, rotates or renames keys in a loop is refused: each is stored and recorded", async (t) => {
  const counted = t.mock.method(accounts.ports, "countTry", async () => 60_000);
  const before = keysOf("ants").length;
  const key = keysOf("ants").find(({ disabled }) => !disabled)!;
  const responses = [
    await postForm(app, "/dashboard/keys", { name: "one more" }, ada),
    await postForm(app, `/dashboard/keys/${key.id}/rotate`, { overlap: "1" }, ada),
    await postForm(app, `/dashboard/keys/${key.id}/rename`, { name: "another" }, ada),
  ];
  for (const response of responses) assert.equal(response.statusCode, 429);
  assert.deepEqual(
    counted.mock.calls.map((call) => [...(call.arguments as unknown[])]),
    [
      ["key", "ants"],
      ["key", "ants"],
      ["key", "ants"],
    ],
  );
  assert.equal(keysOf("ants").length, before);
  assert.ok(!keysOf("ants").some(({ name }) => name === "another"));
});
