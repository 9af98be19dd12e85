import assert from "node:assert/strict";
import { test } from "node:test";
import { readCatalogue } from "../catalogue.ts";
import { folderName } from "./entry.ts";
import { readPublished } from "./published.ts";

/** Those whose makers, or the makers of their training data, forbid commercial use. */
const nonCommercial = ["AdaFace-IR-101", "AdaFace-IR-18", "Buffalo_L", "Buffalo_SC", "EdgeFace-S"];
const any = ["AuraFace", "MobileNetV2-512", "retinaface", "SFace", "SphereFace-36", "yunet"];

test("every published model has an https address, a licence text and a free name, and says whether it was run", async () => {
  const { models } = await readCatalogue();
  const published = await readPublished();
  assert.deepEqual(
    published.map(({ contract }) => contract.name).toSorted(),
    [...nonCommercial, ...any].toSorted(),
  );
  const taken = new Set(models.map(({ name }) => folderName(name)));
  for (const { contract, licenceText, download } of published) {
    assert.ok(download.url.startsWith("https://"), download.url);
    assert.match(licenceText, /licen[cs]e/i);
    assert.ok(!taken.has(folderName(contract.name)));
    taken.add(folderName(contract.name));
    const forbids = contract.licenses.some(({ use }) => use === "non_commercial");
    assert.equal(forbids, nonCommercial.includes(contract.name), contract.name);
    if (contract.role === "detector") continue;
    assert.match(contract.provenance.join(" "), /not measured for this build\. .*never run in Faceline/);
  }
});
