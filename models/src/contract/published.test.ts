import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../catalogue.ts";
import { readPublished } from "./published.ts";

test("every published model has an https address, a licence text and a free name", async () => {
  const { models } = await readCatalogue();
  const published = await readPublished();
  assert.deepEqual(
    published.map(({ contract }) => contract.name),
    ["retinaface", "SFace", "yunet"],
  );
  for (const { contract, licenceText, download } of published) {
    assert.ok(download.url.startsWith("https://"), download.url);
    assert.match(licenceText, /Apache License|MIT/);
    assert.ok(models.every(({ name }) => name !== contract.name));
  }
});
