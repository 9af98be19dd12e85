import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../catalogue.ts";
import { readPublished } from "./published.ts";

test("every published recogniser has an https address, a size, a licence text and a free name", async () => {
  const { models } = await readCatalogue();
  const published = await readPublished();
  assert.deepEqual(
    published.map(({ contract }) => contract.name),
    ["SFace"],
  );
  for (const { contract, licenceText, download } of published) {
    assert.ok(download.url.startsWith("https://"), download.url);
    assert.ok(download.bytes! > 0);
    assert.match(licenceText, /Apache License/);
    assert.ok(models.every(({ name }) => name !== contract.name));
  }
});
