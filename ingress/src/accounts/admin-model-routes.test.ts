import assert from "node:assert/strict";
import { after, test } from "node:test";
import { operator, postForm, signIn, testAccounts } from "../../testing/accounts.ts";
import { testServer } from "../../testing/server.ts";

const accounts = testAccounts();
const { app } = testServer({ after, diagnostic: console.error }, { accounts: accounts.ports });
const olga = await signIn(app, accounts.invite(operator));

const url = "/admin/models";
const page = async (address = url) => (await app.inject({ url: address, headers: olga })).body;
const post = (fields: Record<string, string>) => postForm(app, url, fields, olga);
/** The states of the table, and the buttons of each row. */
const rows = (body: string) =>
  [...body.matchAll(/<th scope="row"[^>]*>(\w+)<\/th><td[^>]*><div>([^<]*)<\/div>([\s\S]*?)<\/tr>/g)].map(
    ([, name, state, rest]) => [
      name,
      state,
      [...rest!.matchAll(/value="(\w+)" aria-label/g)].map(([, action]) => action),
    ],
  );

test("the page lists what is loaded, with the buttons that would not be refused", async () => {
  assert.deepEqual(rows(await page()), [
    ["Dlib", "default", []],
    ["ssd", "default", []],
    ["tiny", "enabled", ["disable", "default"]],
  ]);
});

test("a button changes what is enabled, says so, and names the operator", async (t) => {
  const change = t.mock.method(accounts.ports.models, "change");
  const reply = await post({ name: "tiny", action: "disable" });
  assert.deepEqual([reply.statusCode, reply.headers.location], [303, "/admin/models?changed=tiny"]);
  const body = await page(reply.headers.location);
  assert.match(body, /role="status">The detector tiny is disabled now\./);
  assert.deepEqual(rows(body).at(-1), ["tiny", "disabled", ["enable"]]);
  assert.equal(change.mock.calls[0]!.arguments[1].by, operator.email);
  await post({ name: "tiny", action: "enable" });
  await post({ name: "tiny", action: "default" });
  assert.match(await page("/admin/models?changed=tiny"), /The detector tiny is the default now\./);
});

test("a form of an older page is refused with what to do first, and changes nothing", async () => {
  const reply = await post({ name: "tiny", action: "disable" });
  assert.equal(reply.statusCode, 409);
  assert.match(reply.body, /role="alert">tiny is the default detector: make another one the default first\./);
  assert.match(reply.body, /Nothing was changed/);
});

test("a name in the address that is not loaded is not shown, and a form that is no form is refused", async () => {
  assert.doesNotMatch(
    await page("/admin/models?changed=%3Cscript%3E"),
    /script%3E|<script>|role="status">The/,
  );
  for (const fields of [
    {},
    { name: "tiny" },
    { name: "tiny", action: "delete" },
    { name: "", action: "enable" },
  ]) {
    assert.equal((await post(fields as Record<string, string>)).statusCode, 400);
  }
});

test("ingresses that do not respond are counted", async (t) => {
  const { models } = accounts.ports;
  const { replies } = await models.list();
  t.mock.method(models, "list", async () => ({ receivers: 2, replies }));
  assert.match(await page(), /1 of 2 ingresses did not respond/);
});
