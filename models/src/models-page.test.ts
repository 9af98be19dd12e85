// Covers docs/using/models.md.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readCatalogue } from "./catalogue.ts";

const catalogue = await readCatalogue();
const page = readFileSync(new URL("../../docs/using/models.md", import.meta.url), "utf8");
const rows = page.matchAll(/^\| (`.+) \|$/gm);
const cells = Array.from(rows, ([, row]) => row!.split(" | "));
const percent = (share: number) => `${Number((100 * share).toPrecision(share < 0.1 ? 2 : 3))}`;

test("every model has a row, with its licence; only what says which images it was trained on may be a yes", () => {
  const models = new Map(catalogue.models.map((entry) => [`\`${entry.name}\``, entry]));
  const licences = cells.filter((row) => row.length === 5);
  assert.deepEqual(licences.map(([name]) => name!).toSorted(), [...models.keys()].toSorted());
  for (const [name, use, licence] of licences) {
    const { licenses, training_data } = models.get(name!)!;
    assert.equal(licenses.at(-1)!.id.replace("LicenseRef-public-domain", "public domain"), licence, name);
    assert.ok(use === "unclear" || !/^Not stated|source of the images|research/.test(training_data), name);
  }
});

test("the rates are those of the cards, on the held-out people", () => {
  for (const [name, ...shown] of cells.filter((row) => row.length === 7)) {
    const { conditions } = catalogue.cards.get(name!.slice(1, -1))!;
    const rates = (wanted: string) =>
      conditions.find(({ set, condition }) => set === "held-out" && condition === wanted)!.rates!;
    const misses = ["as it is", "blur", "mask", "dark glasses"].map(
      (condition) => rates(condition).fnmr_at_fmr_0_1_percent.value,
    );
    const expected = [...misses, rates("as it is").fmr.value].map(percent);
    assert.deepEqual(
      shown.slice(0, 5).map((text) => `${Number(text)}`),
      expected,
      name,
    );
  }
});
