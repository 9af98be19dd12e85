import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { readCatalogue } from "@faceline/models/catalogue";
import { openDataset } from "../dataset.ts";
import type { LaneFaces } from "../measure.ts";
import { laneReport } from "../report/report.ts";
import { textReport } from "../report/text.ts";
import { readLabelledPairs } from "./labelled-pairs.ts";
import { labelledSample } from "./labelled-sample.ts";
import { readPeople } from "./people-folder.ts";

// Covers people-folder.ts and the "people" of dataset.ts too, with made embeddings.

const model = (await readCatalogue()).find("embedding", "Dlib")!;

test("each folder is a person; links, hidden files and what is no image are left out", async (t) => {
  const folder = await peopleFolder(t, {
    ada: ["2.jpg", "1.JPEG", ".3.jpg", "notes.txt"],
    bo: ["1.png"],
    no: [],
  });
  await symlink(join(folder, "ada"), join(folder, "link"));
  assert.deepEqual(await readPeople(folder), {
    people: [
      { name: "ada", images: 2, group: undefined },
      { name: "bo", images: 1, group: undefined },
    ],
    images: [{ name: "ada/1.JPEG" }, { name: "ada/2.jpg" }, { name: "bo/1.png" }],
  });
});

test("one person, people with one image each, and a person without a group are refused", async (t) => {
  const needs = /needs one folder per person: two people, and one of them with two images$/;
  await assert.rejects(readPeople(await peopleFolder(t, { ada: ["1.jpg", "2.jpg"] })), needs);
  await assert.rejects(readPeople(await peopleFolder(t, { ada: ["1.jpg"], bo: ["1.jpg"] })), needs);
  await assert.rejects(readPeople("/nowhere"), /^Error: \/nowhere cannot be read$/);
  const folder = await peopleFolder(t, { ada: ["1.jpg", "2.jpg"], bo: ["1.jpg"] });
  await writeFile(join(folder, "groups.csv"), "person,group\nada,old\n");
  await assert.rejects(readPeople(folder), /groups\.csv names no group of bo$/);
  await writeFile(join(folder, "groups.csv"), 'person,group\n"ada');
  await assert.rejects(readPeople(folder), /groups\.csv: Quote/);
});

test("the rates are those of a CSV of the same pairs, also by group, and failures are shown apart", async (t) => {
  const names = Array.from({ length: 24 }, (_, person) => `p${person + 10}`);
  const files = ["a.jpg", "b.jpg", "c.jpg"];
  const folder = await peopleFolder(t, Object.fromEntries(names.map((name) => [name, files])));
  const groupOf = (name: string) => (Number(name.slice(1)) % 2 === 0 ? "even" : "odd");
  const rows = names.map((name) => `${name},${groupOf(name)}`);
  await writeFile(join(folder, "groups.csv"), ["person,group", ...rows].join("\n"));
  const dataset = await openDataset({ kind: "people", path: folder });
  const faces = madeFaces(dataset.images.map(({ name }) => name));
  const progress: string[] = [];
  const sample = dataset.sample(faces, { model, progress: (done, of) => progress.push(`${done} of ${of}`) });
  const report = laneReport(sample, { model, wantedFmrs: [0.1, 1e-6] });
  assert.deepEqual(progress.slice(22, 25), ["23 of 24", "24 of 24", "1 of 12"]);

  const pairs = dataset.images.flatMap(({ name: one }, index) =>
    dataset.images.slice(index + 1).map(({ name: other }) => {
      const [left = "", right = ""] = [one, other].map((name) => name.slice(0, 3));
      return `${one},${other},${left === right ? "same" : "different"},${left},${right}`;
    }),
  );
  const csv = readLabelledPairs(["left,right,label,left_person,right_person", ...pairs].join("\n"));
  assert.ok(!("mistakes" in csv));
  const expected = laneReport(labelledSample(csv, faces), { model, wantedFmrs: [0.1, 1e-6] });
  for (const [index, { metric, marks, operatingPoints, groups }] of report.metrics.entries()) {
    const other = expected.metrics[index]!;
    const ratesOf = ({ threshold, ...rates }: (typeof marks)[number]) => [
      threshold,
      ...[rates.fmr, rates.fnmr, rates.fnmrWithFailures].map(({ rate }) => rate),
    ];
    assert.deepEqual(ratesOf(marks[0]!), ratesOf(other.marks[0]!), metric);
    if (metric !== "euclidean_l2") {
      const [point, none] = operatingPoints.map((each) => each.point);
      assert.equal(point!.fnmr.rate, other.operatingPoints[0]!.point!.fnmr.rate);
      assert.equal(none, undefined);
    }
    assert.deepEqual(
      groups.map(({ group, same, different, people }) => [group, same, different, people]),
      [
        ["even", 12 * 3 - 2, (35 * 34) / 2 - (12 * 3 - 2), 12],
        ["odd", 12 * 3, (36 * 35) / 2 - 12 * 3, 12],
      ],
    );
  }
  const text = textReport(report, "made").join("\n");
  assert.match(text, /Images: 72, of which 1 could not be used \(1\.4%\): 1 no_face_detected\./);
  assert.match(text, /70 of one person, 2,415 of two people; 71 of 2,556 had an image/);
  assert.match(text, /People: 24, a folder each\./);
  assert.match(text, /\n {4}0\.0001% +too few pairs\n/);
});

test("where no two images of a person have a face, there is nothing to measure", async (t) => {
  const folder = await peopleFolder(t, { ada: ["a.jpg", "b.jpg"], bo: ["a.jpg"] });
  const { images, sample } = await openDataset({ kind: "people", path: folder });
  const faces = madeFaces(images.map(({ name }) => name));
  faces.embeddings[0] = undefined;
  assert.throws(() => sample(faces, { model, progress: () => {} }), /there is nothing to measure$/);
});

async function peopleFolder(t: TestContext, files: Record<string, string[]>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "people-"));
  t.after(() => rm(folder, { recursive: true }));
  for (const [person, names] of Object.entries(files)) {
    await mkdir(join(folder, person));
    for (const name of names) await writeFile(join(folder, person, name), "");
  }
  return folder;
}

/** Embeddings as long as Dlib's, near those of the same person; p10/a.jpg has none. */
function madeFaces(names: readonly string[]): LaneFaces {
  const next = mulberry32(7);
  const noise = (scale: number) => Float32Array.from({ length: 128 }, () => scale * (next() - 0.5));
  const centres = new Map<string, Float32Array>();
  const embeddings = names.map((name) => {
    const person = name.slice(0, 3);
    const centre = centres.get(person) ?? noise(0.4);
    centres.set(person, centre);
    const off = noise(0.25 * next());
    const vector = centre.map((each, i) => each + off[i]! + 0.1);
    return name === "p10/a.jpg" ? undefined : vector;
  });
  const failures = embeddings[0] === undefined ? [{ image: 0, code: "no_face_detected" }] : [];
  return { lane: "Dlib/ssd" as LaneFaces["lane"], embeddings, failures, severalFaces: 0 };
}
