import assert from "node:assert/strict";
import type { IncomingHttpHeaders } from "node:http";
import { test } from "node:test";
import { missingKeyDetail, unknownKeyDetail } from "./key-fault.ts";

const missing: [headers: IncomingHttpHeaders, url: string, sentence: RegExp][] = [
  [{}, "/verify", /^This request needs an API key: send "Authorization: Bearer KEY" or "x-api-key: KEY"\.$/],
  [{ authorization: "SECRET" }, "/verify", /^Authorization must be the word Bearer and one key: /],
  [{ authorization: "Bearer a SECRET" }, "/verify", /^Authorization must be the word Bearer and one key/],
  [{ authorization: "Other SECRET" }, "/verify", /^Authorization must be the word Bearer and one key/],
  [{ authorization: "Basic SECRET" }, "/verify", /^Authorization has the scheme basic instead of Bearer: /],
  [{ authorization: "Token SECRET" }, "/verify", /^Authorization has the scheme token instead of Bearer: /],
  [{ authorization: "Bearer" }, "/verify", /^Authorization has no key after Bearer: /],
  [{ "x-api-key": "" }, "/verify", /^The header x-api-key is empty: /],
  [{ "api-key": "SECRET" }, "/verify", /^The key is in the header api-key: /],
  [{}, "/verify?api_key=SECRET", /^The key is in the URL, which logs record: /],
];

const unknown: [headers: IncomingHttpHeaders, sentence: string][] = [
  [{ "x-api-key": "SECRET" }, "The API key is not known."],
  [{ authorization: "Bearer SECRET" }, "The API key is not known."],
  [{ "x-api-key": "Bearer SECRET" }, "The API key is not known: leave out the word Bearer before it."],
  [{ "x-api-key": '"SECRET"' }, "The API key is not known: leave out the quotes around it."],
  [{ authorization: "Bearer 'SECRET'" }, "The API key is not known: leave out the quotes around it."],
  [{ "x-api-key": "$FACELINE_SECRET" }, "The API key is not known: it is a placeholder, not a key."],
  [{ "x-api-key": "YOUR_SECRET" }, "The API key is not known: it is a placeholder, not a key."],
];

for (const [headers, url, sentence] of missing) {
  test(`no key, but ${JSON.stringify(headers)} at ${url}: the sentence says what came, not the key`, () => {
    const detail = missingKeyDetail({ headers, url });
    assert.match(detail, sentence);
    assert.ok(!detail.includes("SECRET"));
  });
}

for (const [headers, sentence] of unknown) {
  test(`a key that is not known, ${JSON.stringify(headers)}: ${sentence}`, () =>
    assert.equal(unknownKeyDetail(headers), sentence));
}
