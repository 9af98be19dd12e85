import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { readCatalogue } from "@faceline/models/catalogue";
import type { LaneFaces } from "../measure.ts";
import { readLabelledPairs } from "../pairs/labelled-pairs.ts";
import { labelledSample } from "../pairs/labelled-sample.ts";
import { percent } from "./percent.ts";
import { type LaneReport, laneReport } from "./report.ts";
import { textReport } from "./text.ts";

// Covers report.ts and format.ts too.

const model = (await readCatalogue()).find("embedding", "Dlib")!;

test("percentages have the digits that count", () => {
  const texts = [0, 1, 0.5, 0.1234, 0.01234, 0.001, 0.00012, 0.999].map(percent);
  assert.deepEqual(texts, ["0%", "100%", "50%", "12.3%", "1.2%", "0.1%", "0.012%", "99.9%"]);
});

suite("on made-up embeddings of 60 people", () => {
  let report: LaneReport;
  let text: string;
  before(() => {
    const people = Array.from({ length: 60 }, (_, person) => person);
    const pairs = people.flatMap((one) => [
      `${one}a,${one}b,same,${one},${one},${one % 2 === 0 ? "even" : "odd"}`,
      ...people
        .filter((other) => other > one)
        .map((other) => `${one}a,${other}b,different,${one},${other},${one % 2 === 0 ? "even" : "odd"}`),
    ]);
    const labelled = readLabelledPairs(
      ["left,right,label,left_person,right_person,group", ...pairs].join("\n"),
    );
    assert.ok(!("mistakes" in labelled));
    const next = mulberry32(3);
    const noise = (scale: number) => Float32Array.from({ length: 8 }, () => scale * (next() - 0.5));
    const centres = people.map(() => noise(1));
    const embeddings: (Float32Array | undefined)[] = labelled.images.map(({ name }) => {
      const off = noise(0.3);
      return centres[Number.parseInt(name, 10)]!.map((number, i) => number + off[i]!);
    });
    const lost = labelled.images.findIndex(({ name }) => name === "59b");
    embeddings[lost] = undefined;
    const failures = [{ image: lost, code: "no_face_detected" }];
    const faces: LaneFaces = { lane: "Dlib/ssd" as LaneFaces["lane"], embeddings, failures, severalFaces: 3 };
    report = laneReport(labelledSample(labelled, faces), { model, wantedFmrs: [0.1, 0.0001] });
    text = textReport(report, "Dlib/ssd").join("\n");
  });

  test("an image without a face is counted, and so are the pairs that it is missing from", () => {
    assert.match(text, /Images: 120, of which 1 could not be used \(0\.83%\): 1 no_face_detected\./);
    assert.match(text, /59 of one person, 1,711 of two people; 60 of 1,830 had an image/);
    assert.match(text, /In 3 images there is more than one face/);
    assert.match(text, /People: 59, by the ids in the file\./);
  });

  test("a threshold is proposed for 10%, and its rates are in the table, within what was promised", () => {
    const [cosine, , euclideanL2] = report.metrics;
    const [proposal] = cosine!.proposals;
    assert.ok(proposal?.kind === "proposed");
    const mark = cosine!.marks.find(({ threshold }) => threshold === proposal.threshold)!;
    assert.ok(mark.fmr.rate < proposal.bound && proposal.bound <= 0.1);
    assert.ok(text.includes(`FMR 10%: threshold ${proposal.threshold}. The FMR is at most`));
    assert.ok(text.includes(`${proposal.threshold}`));
    const inOtherUnit = euclideanL2!.proposals[0];
    assert.ok(inOtherUnit?.kind === "proposed");
    assert.equal(inOtherUnit.threshold, Number(Math.sqrt(2 * proposal.threshold).toFixed(4)));
  });

  test("for 0.01% it is refused, with what the pairs show and what it takes", () => {
    assert.equal(report.metrics[0]!.proposals[1]!.kind, "refused");
    assert.match(
      text,
      /FMR 0\.01%: no threshold\. 1,711 pairs of two people cannot show an FMR below 0\.17%, even if no two of them shared a person; they show [\d.]+% at best, by cosine\. It takes 29,956 independent pairs: about [\d,]+ people/,
    );
  });

  test("each group has its own rates", () => {
    const { groups } = report.metrics[0]!;
    assert.deepEqual(
      groups.map(({ group, same, different }) => [group, same, different]),
      [
        ["even", 30, 900 - 30],
        ["odd", 29, 841],
      ],
    );
    assert.match(text, /group even: 30 pairs of one person, 870 of two people, 59 people/);
  });
});
