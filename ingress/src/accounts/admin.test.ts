// Covers ./admin-*.ts and their pages, with accounts in memory.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { member, operator, postForm, signIn, testAccounts } from "../../testing/accounts.ts";
import { testNow, testServer } from "../../testing/server.ts";
import { proposedTeam } from "./admin-forms.ts";
import { emailId, personPath } from "./admin-person.ts";

const accounts = testAccounts();
const { app } = testServer({ after, diagnostic: console.error }, { accounts: accounts.ports });
const olga = await signIn(app, accounts.invite(operator));
accounts.invite(member);

const get = async (url: string) => app.inject({ url, headers: olga });
const post = (url: string, fields: Record<string, string> = {}) => postForm(app, url, fields, olga);
const wait = (email: string, text = "") => {
  accounts.waitlist.set(email, { email, text });
  return `/admin/waitlist/${emailId(email)}`;
};
const operatorActor = { by: operator.email, requestId: "request-1" };
const markup = `<img src=x onerror=alert(1)>"'`;

test("who waits is listed with what they wrote as text, and the list says when it is empty", async () => {
  assert.match((await get("/admin")).body, /Nobody is waiting for approval/);
  const path = wait("eve@example.test", `Team: ${markup}\n${markup}`);
  for (const url of ["/admin", path]) {
    const { statusCode, body } = await get(url);
    assert.equal(statusCode, 200);
    assert.ok(!body.includes("<img") && body.includes("&#60;img src"), url);
  }
  const declined = await post(`${path}/decline`);
  assert.equal(declined.headers.location, "/admin?done=declined");
  assert.match((await get("/admin?done=declined")).body, /role="status">Declined: they are off the waitlist/);
  assert.equal(accounts.waitlist.size, 0);
  assert.equal((await get(path)).statusCode, 404);
});

test("a form that was sent again, a member and somebody who was declined are marked on the waitlist", async () => {
  const form = (purpose: string) =>
    postForm(app, "/waitlist", { email: "zoe@example.test", team: "Zebras", purpose });
  const first = await form("Gates.");
  const again = await form(`Stables. ${markup}`);
  assert.deepEqual([again.statusCode, again.headers.location], [first.statusCode, first.headers.location]);
  const path = `/admin/waitlist/${emailId("zoe@example.test")}`;
  const pages = async () => (await Promise.all(["/admin", path].map(get))).map(({ body }) => body);
  for (const body of await pages()) {
    assert.match(
      body,
      /Joined <time[^]*, sent again <time[^]*Stables\. &#60;img[^]*What was sent first[^]*Gates\./,
    );
    assert.doesNotMatch(body, /They were declined|already/);
  }
  await post(`${path}/decline`);
  await form("Once more.");
  for (const body of await pages()) assert.match(body, /They were declined <time/);
  await post(`${path}/approve`, { team: "zebras" });
  await form("I forgot.");
  for (const body of await pages()) assert.match(body, /They are a member of <a[^>]*>zebras<\/a> already/);
  assert.match((await get(path)).body, /name="team"[^>]*value="zebras"/);
  assert.equal((await post(`${path}/approve`, { team: "zebras" })).statusCode, 200);
  assert.equal(accounts.waitlist.size, 0);
});

test("an approval sets the team and its limits, and shows the address where no mail is sent", async () => {
  const path = wait("bob@example.test", "Team: Night Bees\nDoors.");
  assert.match((await get(path)).body, /value="night-bees"/);
  const { statusCode, body } = await post(`${path}/approve`, {
    team: "night-bees",
    perSecond: "5",
    burst: "",
  });
  assert.equal(statusCode, 200);
  assert.match(body, /bob@example\.test is approved/);
  assert.match(body.replaceAll(/<[^>]+>/g, ""), /http:\/\/localhost(:\d+)?\/sign-in\/a{43}/);
  assert.equal(accounts.people.get("bob@example.test")?.team, "night-bees");
  const { body: team } = await get("/admin/teams/night-bees");
  assert.match(team, /id="usage"[^]*id="recent-errors"/);
  assert.match(team, /name="perSecond"[^>]*value="5"/);
  assert.match(team, /name="burst"[^>]*value=""/);
});

test("after an approval a reload shows the person, and sending the form again makes no second address", async () => {
  const path = wait("nora@example.test");
  const form = { team: "newts" };
  const shown = await post(`${path}/approve`, form);
  assert.equal(shown.statusCode, 200);
  const person = personPath("nora@example.test");
  // Where the script of the page leads a reload.
  assert.ok(shown.body.replaceAll("&#61;", "=").includes(`data-reload="${person}?done=member_made"`));
  assert.match(shown.body, /src="[^"]*shown-once\.js"/);
  const [made] = await accounts.ports.admin.openLinks("nora@example.test");

  // Without scripts the browser sends the form again.
  const again = await post(`${path}/approve`, form);
  assert.deepEqual([again.statusCode, again.headers.location], [303, `${person}?done=member_made`]);
  assert.deepEqual(await accounts.ports.admin.openLinks("nora@example.test"), [made]);
  const { body } = await get(again.headers.location!);
  assert.match(body, /role="status">nora@example\.test is a member now\. If they lose/);
  assert.match(body, /One link works/);
  assert.doesNotMatch(body, /\/sign-in\/a{43}/);
  for (const url of [path, `${path}/approve`]) assert.equal((await get(url)).statusCode, 303, url);
});

test("where a mail was not taken, the page says why and shows the address", async (t) => {
  const address = "http://localhost/sign-in/x";
  const failed = async () => ({ kind: "shown", address, mailFault: "It offers no STARTTLS <b>." }) as const;
  t.mock.method(accounts.ports.admin, "sendAddress", failed);
  const { body } = await post(`${wait("nina@example.test")}/approve`, { team: "newts", join: "newts" });
  assert.match(body, /<p class="note">It offers no STARTTLS &#60;b&#62;\.<\/p>[^]*sign-in\/x/);
});

test("where mails are sent, an approval and a new address lead to the page of the person", async (t) => {
  const mailed = async () => ({ kind: "mailed" }) as const;
  t.mock.method(accounts.ports.admin, "sendAddress", mailed);
  const path = wait("mona@example.test");
  const person = personPath("mona@example.test");
  const approved = await post(`${path}/approve`, { team: "moles" });
  assert.deepEqual([approved.statusCode, approved.headers.location], [303, `${person}?done=member_mailed`]);
  assert.match((await get(approved.headers.location!)).body, /A sign-in link was mailed to them/);
  const address = await post(`${person}/address`, { seen: "none" });
  assert.deepEqual([address.statusCode, address.headers.location], [303, `${person}?done=address_mailed`]);
});

test("an operator sees until when addresses work, makes one in their place, and cancels them", async () => {
  const email = "nora@example.test";
  const path = personPath(email);
  const [open] = await accounts.ports.admin.openLinks(email);
  const { body } = await get(path);
  assert.match(body, /One link works until\s+it is used or expired:/);
  assert.match(body, /valid until <time datetime="2027-01-16T08:00/);
  const [, seen = ""] = /name="seen" value="(\d+)"/.exec(body)!;
  assert.equal(seen, String(open!.createdAt));
  assert.match(
    (await post(`${path}/address`, { seen })).body,
    /A new sign-in link for nora[^]*\/sign-in\/a{43}/,
  );

  // The same form once more: the page that it came from shows what is old.
  const again = await post(`${path}/address`, { seen });
  assert.deepEqual([again.statusCode, again.headers.location], [303, `${path}?done=addresses_changed`]);
  assert.match((await get(again.headers.location!)).body, /role="status">No link was created/);
  assert.equal((await post(`${path}/address`)).statusCode, 400);
  assert.equal((await get(`${path}/address`)).headers.location, path);

  const cancelled = await post(`${path}/addresses/cancel`);
  assert.equal(cancelled.headers.location, `${path}?done=addresses_cancelled`);
  assert.match((await get(cancelled.headers.location)).body, /There is no unused link/);
  assert.match((await get("/admin/audit")).body, /sign-in links cancelled<\/th><td[^>]*><div>nora@example/);
});

test("an applicant gets into a team that exists only if the operator confirms it", async () => {
  const path = wait("mallory@example.test", `Team: ${member.team}`);
  const response = await post(`${path}/approve`, { team: member.team });
  assert.equal(response.statusCode, 400);
  assert.match(response.body, /A team of this name exists/);
  assert.match(response.body, new RegExp(`name="join" value="${member.team}"`));
  assert.equal(accounts.people.has("mallory@example.test"), false);
  // The box of one team does not confirm another one.
  assert.equal((await post(`${path}/approve`, { team: member.team, join: "other" })).statusCode, 400);
  assert.equal((await post(`${path}/approve`, { team: member.team, join: member.team })).statusCode, 200);
  assert.equal(accounts.people.get("mallory@example.test")?.team, member.team);
});

test("a wrong team or limit comes back with what is wrong, and nothing is changed", async () => {
  const path = wait("carol@example.test");
  for (const [fields, sentence] of [
    [{ team: "" }, /Write 1 to 64 letters/],
    [{ team: "../etc" }, /Write 1 to 64 letters/],
    [{ team: markup }, /Write 1 to 64 letters/],
    [{ team: "cows", inFlight: "-1" }, /Enter a whole number up to 1,000,000/],
    [{ team: "cows", bytesPerSecond: "1e9" }, /Enter a whole number up to 10\^12/],
  ] as const) {
    const { statusCode, body } = await post(`${path}/approve`, { ...fields });
    assert.equal(statusCode, 400, JSON.stringify(fields));
    assert.match(body, sentence);
    assert.ok(!body.includes("<img"));
  }
  assert.equal(accounts.people.has("carol@example.test"), false);
  const elsewhere = wait("bob@example.test");
  const refused = await post(`${elsewhere}/approve`, { team: "cows" });
  assert.deepEqual([refused.statusCode, /They are in the team night-bees/.test(refused.body)], [409, true]);
});

test("somebody is added without the waitlist", async () => {
  const added = await post("/admin/people", { email: " Dan@Example.test ", team: "deer" });
  assert.match(added.body, /dan@example\.test is added/);
  assert.match((await get("/admin/people")).body, /dan@example\.test/);
  const again = await post("/admin/people", { email: "dan@example.test", team: "deer", join: "deer" });
  assert.equal(again.headers.location, `${personPath("dan@example.test")}?done=member_known`);
  for (const email of ["dan", "a@example.test\r\nBcc: b@example.test", "a@example.test,b@example.test"]) {
    const { statusCode, body } = await post("/admin/people", { email, team: "deer2" });
    assert.deepEqual([statusCode, /This is not an email address/.test(body)], [400, true], email);
  }
});

test("for a person an operator makes addresses, ends sessions and makes them an operator", async () => {
  const path = personPath("dan@example.test");
  assert.match((await get(path)).body, /Make them an operator/);
  const [open] = await accounts.ports.admin.openLinks("dan@example.test");
  assert.match((await post(`${path}/address`, { seen: String(open!.createdAt) })).body, /\/sign-in\/a{43}/);
  const ended = await post(`${path}/sessions`);
  assert.match((await get(ended.headers.location!)).body, /role="status">They are signed out everywhere/);
  const made = await post(`${path}/operator`);
  const { body } = await get(made.headers.location!);
  assert.match(body, /role="status">dan@example\.test is an operator now/);
  assert.match(body, /Operator, and member/);
  assert.doesNotMatch(body, /Make them an operator/);
  assert.equal((await get(`/admin/people/${emailId("nobody@example.test")}`)).statusCode, 404);
});

test("only this service's own pages say what was done, in fixed sentences", async () => {
  const url = "/admin/teams/night-bees?done=limits_saved";
  const shown = async (address: string, site?: string) => {
    const headers = { ...olga, ...(site === undefined ? {} : { "sec-fetch-site": site }) };
    return /<p class="note" role="status">/.test((await app.inject({ url: address, headers })).body);
  };
  assert.deepEqual(
    [await shown(url), await shown(url, "same-origin"), await shown(url, "none")],
    [true, true, true],
  );
  assert.deepEqual([await shown(url, "cross-site"), await shown(url, "same-site")], [false, false]);
  for (const code of ["constructor", "x", "limits_saved&done=declined", ""]) {
    assert.equal(await shown(`/admin/teams/night-bees?done=${code}`), false, code);
  }
});

test("limits that are left empty are the service's defaults again", async () => {
  const saved = await post("/admin/teams/night-bees", { perSecond: "", inFlight: "3" });
  assert.equal(saved.headers.location, "/admin/teams/night-bees?done=limits_saved");
  const { body } = await get(saved.headers.location ?? "");
  assert.match(body, /The limits are saved/);
  assert.match(body, /name="perSecond"[^>]*value=""/);
  assert.match(body, /name="inFlight"[^>]*value="3"/);
  assert.match((await get("/admin/teams")).body, /<i>50<\/i>/);
  assert.equal((await post("/admin/teams/nobody", { inFlight: "3" })).statusCode, 404);
});

test("limits that somebody else has changed since the page was opened are shown, and not replaced", async () => {
  const path = "/admin/teams/night-bees";
  const { body } = await get(path);
  const [, seen = ""] = /name="seen" value="([^"]*)"/.exec(body) ?? [];
  const form = { seen: seen.replaceAll("&quot;", '"').replaceAll("&#34;", '"'), perSecond: "7" };
  assert.equal((await post(path, { ...form, inFlight: "5" })).statusCode, 303);
  const second = await post(path, { ...form, burst: "9" });
  assert.equal(second.statusCode, 409);
  assert.match(second.body, /role="alert">[^]*Nothing was changed[^]*Somebody else changed them/);
  assert.match(second.body, /name="inFlight"[^>]*value="5"/);
  assert.match((await get(path)).body, /name="burst"[^>]*value=""/);
  assert.equal((await post(path, { seen: "{", perSecond: "7" })).statusCode, 400);
});

test("an operator sees the keys of a team, and revokes one after a question", async () => {
  const [key, other] = [
    await accounts.ports.keys.create("night-bees", markup, operatorActor),
    await accounts.ports.keys.create(member.team, "theirs", operatorActor),
  ];
  assert.ok(key.kind === "created" && other.kind === "created");
  const page = (await get("/admin/teams/night-bees")).body;
  const path = `/admin/teams/night-bees/keys/${key.id}/revoke`;
  assert.ok(page.includes(path) && page.includes(`${key.key.slice(0, 12)}…`) && !page.includes(key.key));
  assert.ok(!page.includes("theirs") && !page.includes("<img"));

  const question = await get(path);
  assert.match(question.body, /This cannot be undone/);
  assert.ok(!question.body.includes("<img"));
  assert.equal(accounts.keys.get(key.id)!.disabled, false);
  const revoked = await post(path);
  assert.equal(revoked.headers.location, `/admin/teams/night-bees?done=key_revoked&key=${key.id}`);
  assert.equal(accounts.keys.get(key.id)!.disabled, true);
  const after = (await get(revoked.headers.location ?? "")).body;
  assert.match(after, /role="status">The key “[^”]*” is revoked/);
  assert.ok(!after.includes(path), "a revoked key is not offered again");
  assert.equal((await get(path)).statusCode, 404);
  // The key of another team, a team that is none, and a made-up name.
  for (const wrong of [
    `/admin/teams/night-bees/keys/${other.id}/revoke`,
    `/admin/teams/nobody/keys/${other.id}/revoke`,
    `/admin/teams/%2A/keys/${other.id}/revoke`,
  ]) {
    assert.deepEqual([(await get(wrong)).statusCode, (await post(wrong)).statusCode], [404, 404], wrong);
  }
  assert.equal(accounts.keys.get(other.id)!.disabled, false);
});

test("of a team with many keys the valid ones are shown, and how many are left out", async () => {
  await accounts.ports.keys.create("night-bees", "the valid one", operatorActor);
  for (let i = 0; i < 60; i++) {
    const key = { id: `old-${i}`, sha256: "", name: `old ${i}`, team: "night-bees", createdAt: testNow + i };
    accounts.keys.set(key.id, { ...key, lastUsedAt: null, disabled: true });
  }
  const { body } = await get("/admin/teams/night-bees");
  assert.ok(body.indexOf("the valid one") < body.indexOf("old 59") && body.includes("the valid one"));
  assert.match(body, /12 more are not\s+shown/);
});

test("the usage of all teams is on one page, by day and by team", async () => {
  const { statusCode, body } = await get("/admin/usage");
  assert.equal(statusCode, 200);
  assert.match(body, /aria-current="page">Usage</);
  assert.match(body, /<svg[^]*22 Nov, \/verify: 7</);
  assert.match(body, /<a href="\/admin\/teams\/ants">ants<\/a>[^]*100\.0%/);
});

test("the audit log says who did what, 50 entries a page", async () => {
  for (let i = 0; i < 60; i++) await post("/admin/teams/night-bees", { inFlight: String(i) });
  const { body } = await get("/admin/audit");
  assert.match(
    body,
    /olga@example\.test<\/div><\/td><th[^>]*>limits set<\/th><td[^>]*><div><a[^>]*>night-bees/,
  );
  assert.match(body, /Requests in flight: 58 → 59/);
  const [, older = ""] = /href="(\/admin\/audit\?before=[\d-]+)"/.exec(body.replaceAll("&#61;", "=")) ?? [];
  assert.match((await get(older)).body, />approved<\/th><td[^>]*><div>bob@example\.test/);
  for (const before of ["x", "1-1%20-", "+"]) {
    assert.equal((await get(`/admin/audit?before=${before}`)).statusCode, 404);
  }
});

test("no address of a page holds an email", async () => {
  for (const url of ["/admin", "/admin/people", "/admin/teams"]) {
    const { body } = await get(url);
    const links = [...body.matchAll(/(?:href|action)="([^"]*)"/g)].map(([, link]) => link!);
    assert.deepEqual(
      links.filter((link) => link.includes("@")),
      [],
    );
  }
});

test("the proposed name of a team is made of letters that names may have", () => {
  assert.equal(proposedTeam("Team: Été & Söhne GmbH\nx"), "ete-sohne-gmbh");
  assert.equal(proposedTeam("Team: ../../etc"), "etc");
  assert.equal(proposedTeam("no team"), "");
  assert.equal(proposedTeam(`Team: ${"x".repeat(90)}`).length, 64);
});

test("approving somebody into a team that exists never changes the team's limits", async () => {
  await post(`${wait("cora@example.test")}/approve`, { team: "crows", perSecond: "20" });
  const path = wait("carl@example.test");
  const form = { team: "crows", join: "crows" };
  const refused = await post(`${path}/approve`, { ...form, perSecond: "3" });
  assert.equal(refused.statusCode, 400);
  assert.match(
    refused.body,
    /role="alert">[^]*href="#limits">[^]*The team crows exists and keeps its limits/,
  );
  assert.match(refused.body, /<details id="limits" open>[^]*<a href="\/admin\/teams\/crows">/);
  assert.match(refused.body, /name="perSecond"[^>]*value="3"/);
  assert.equal(accounts.people.has("carl@example.test"), false);
  assert.equal((await post(`${path}/approve`, form)).statusCode, 200);
  assert.match((await get("/admin/teams/crows")).body, /name="perSecond"[^>]*value="20"/);
});

test("an error in a form further down is named at the top of the page, with a link to its field", async () => {
  const limits = await post("/admin/teams/night-bees", { inFlight: "many" });
  assert.equal(limits.statusCode, 400);
  const note = /role="alert">[^]*<a href="#inFlight">Requests in flight<\/a>: Enter a whole number[^]*<h1>/;
  assert.match(limits.body, note);
  const people = await post("/admin/people", { email: "nobody", team: "x y" });
  assert.match(people.body, /role="alert">[^]*href="#email">Email<[^]*href="#team">Team<[^]*<h1>/);
  assert.doesNotMatch((await get("/admin/people")).body, /role="alert"/);
});

test("the page of a team lists its people, with their roles and links", async () => {
  const { body } = await get(`/admin/teams/${operator.team}`);
  const row = `<a href="${personPath(operator.email)}">${operator.email}</a></th><td role="cell" class="" data-label="Role"><div>operator</div>`;
  assert.ok(body.slice(body.indexOf('id="people"')).includes(row));
  assert.ok(!body.includes(member.email));
  for (let i = 0; i < 60; i++) {
    const email = `many-${i}@example.test`;
    accounts.people.set(email, { ...member, email, team: "many" });
  }
  assert.match((await get("/admin/teams/many")).body, /10 more are not shown/);
});

test("an operator reads on their own page that ending all sessions ends the one in use", async () => {
  assert.match((await get(personPath(operator.email))).body, /your own sessions, including this one/);
  assert.doesNotMatch((await get(personPath(member.email))).body, /your own sessions/);
});

test("a person who is gone, and a revoked key, have pages that say so and lead back", async () => {
  const gone = await get("/admin/people/none");
  assert.equal(gone.statusCode, 404);
  assert.match(gone.body, /There is no such person[^]*href="\/admin"[^]*href="\/dashboard"/);
  const { id } = [...accounts.keys.values()].find(({ team, disabled }) => team === "night-bees" && disabled)!;
  const revoked = await get(`/admin/teams/night-bees/keys/${id}/revoke`);
  assert.match(revoked.body, /<h1>This key was revoked</);
});
