// Covers wordsFor in account-context.ts, and the language of every other response.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { fill } from "@faceline/web/words/fill";
import { allWords } from "@faceline/web/words/language";
import { member, postForm, signIn, testAccounts } from "../../testing/accounts.ts";
import { testServer, waitUntil } from "../../testing/server.ts";

// One server for all tests: every server renders all pages itself.
const accounts = testAccounts();
const { app } = testServer({ after, diagnostic: console.error }, { accounts: accounts.ports });
const browser = { accept: "text/html" };
const german = { ...browser, "accept-language": "de-DE,de;q=0.9,en;q=0.8" };

test("the pages for visitors are in the language that the reader prefers, and say which it is", async () => {
  for (const words of Object.values(allWords)) {
    const headers = { ...browser, "accept-language": `fr, ${words.language};q=0.5` };
    for (const [url, heading] of [
      ["/waitlist", words.waitlist.title],
      ["/waitlist/joined", words.waitlist.joined],
      ["/sign-in", words.signIn.title],
      ["/sign-in/sent", words.signIn.sent],
      [`/sign-in/${"a".repeat(43)}`, words.signIn.dead],
      [`/sign-in/${accounts.invite(member)}`, fill(words.signIn.openTitle, { team: member.team })],
      ["/waitlist/nothing", words.refusals.not_found.title],
      ["/nothing", words.missingPage.description],
    ] as const) {
      const response = await app.inject({ url, headers });
      assert.ok(response.body.includes(`<html lang="${words.language}">`), url);
      assert.ok(response.body.includes(`<h1>${heading}</h1>`), response.body);
      assert.ok(response.body.includes(`>${words.siteFrame.skip}</a>`), url);
      assert.equal(response.headers["content-language"], words.language, url);
      assert.match(String(response.headers.vary), /\baccept-language\b/, url);
    }
  }
});

test("what is wrong with a form is said in its reader's language", async () => {
  const response = await postForm(app, "/waitlist", { email: "ada", team: "" }, german);
  assert.equal(response.statusCode, 400);
  for (const text of [allWords.de.waitlist.wrongEmail, allWords.de.waitlist.wrongTeam]) {
    assert.ok(response.body.includes(text), text);
  }
});

test("the mail with a sign-in link is in the language in which it was requested", async (t) => {
  const languages: string[] = [];
  t.mock.method(accounts.ports.signInLinks, "mail", async (...[, language]: MailArguments) => {
    languages.push(language);
  });
  await postForm(app, "/sign-in", { email: member.email }, german);
  await postForm(app, "/sign-in", { email: member.email });
  await waitUntil("both mails are sent", async () => languages.length === 2);
  assert.deepEqual(languages, ["de", "en"]);
});

test("documents, the dashboard and errors of the API are in English for everybody", async () => {
  const { cookie } = await signIn(app, accounts.invite(member));
  for (const url of ["/docs", "/dashboard"]) {
    const response = await app.inject({ url, headers: { ...german, cookie } });
    assert.match(response.body, /<html lang="en">/, url);
    assert.equal(response.headers["content-language"], "en", url);
    assert.doesNotMatch(String(response.headers.vary), /accept-language/, url);
  }
  const problem = (headers: Record<string, string>) =>
    app.inject({ url: "/verify", method: "POST", headers });
  const [inGerman, plain] = [await problem({ "accept-language": "de" }), await problem({})];
  assert.equal(inGerman.json().title, plain.json().title);
  assert.equal(inGerman.headers["content-language"], undefined);
});

type MailArguments = Parameters<(typeof accounts.ports.signInLinks)["mail"]>;
