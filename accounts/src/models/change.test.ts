import assert from "node:assert/strict";
import test from "node:test";
import type { Allowlist, ModelSelection } from "./allowlist.ts";
import { type ChangeDecision, decideChange, type ModelChange } from "./change.ts";

const loaded: ModelSelection = {
  models: { names: ["Dlib"], default: "Dlib" },
  detectors: { names: ["ssd", "tiny", "mtcnn"], default: "ssd" },
};

/** Makes the changes one after another and returns the last decision, with the record before it. */
function decide(changes: ModelChange[], ingresses = [loaded]) {
  let allowlist: Allowlist | undefined;
  let decision: ChangeDecision | undefined;
  for (const change of changes) {
    if (decision?.kind === "change") allowlist = decision.allowlist;
    decision = decideChange(allowlist, ingresses, change);
  }
  return decision!;
}

const enable = (name: string): ModelChange => ({ action: "enable", name });
const disable = (name: string): ModelChange => ({ action: "disable", name });
const makeDefault = (name: string): ModelChange => ({ action: "default", name });

test("a detector is disabled, and enabled again; each change is a version", () => {
  assert.deepEqual(decide([disable("tiny")]), {
    kind: "change",
    allowlist: { version: 1, models: { disabled: [] }, detectors: { disabled: ["tiny"] } },
  });
  assert.deepEqual(decide([disable("tiny"), disable("mtcnn"), enable("tiny")]), {
    kind: "change",
    allowlist: { version: 3, models: { disabled: [] }, detectors: { disabled: ["mtcnn"] } },
  });
});

test("another default is set, after which the first one may be disabled", () => {
  const decision = decide([makeDefault("tiny"), disable("ssd")]);
  assert.deepEqual(decision, {
    kind: "change",
    allowlist: { version: 2, models: { disabled: [] }, detectors: { disabled: ["ssd"], default: "tiny" } },
  });
});

test("what cannot be is refused with what to do first", () => {
  for (const [changes, sentence] of [
    [[disable("Dlib")], "Dlib is the only model that is enabled: enable another one first."],
    [[disable("ssd")], "ssd is the default detector: make another one the default first."],
    [[disable("tiny"), makeDefault("tiny")], "The detector tiny is disabled: enable it first."],
    [
      [disable("tiny"), disable("mtcnn"), disable("ssd")],
      "ssd is the only detector that is enabled: enable another one first.",
    ],
    [
      [enable("Facenet")],
      "No ingress has loaded Facenet. Loaded are the models Dlib and the detectors ssd, tiny, mtcnn; " +
        "the settings MODELS and DETECTORS say which.",
    ],
  ] as const) {
    assert.deepEqual(decide([...changes]), { kind: "refused", reason: sentence });
  }
});

test("what is so already is no change", () => {
  assert.equal(decide([enable("tiny")]).kind, "unchanged");
  assert.equal(decide([disable("tiny"), disable("tiny")]).kind, "unchanged");
  assert.equal(decide([makeDefault("tiny"), makeDefault("tiny")]).kind, "unchanged");
});

test("of ingresses with other settings each keeps a model and an enabled default", () => {
  const other: ModelSelection = { ...loaded, detectors: { names: ["tiny", "ssd"], default: "tiny" } };
  assert.equal(decide([disable("mtcnn")], [loaded, other]).kind, "change");
  assert.deepEqual(decide([disable("tiny")], [loaded, other]), {
    kind: "refused",
    reason: "tiny is the default detector: make another one the default first.",
  });
  const alone: ModelSelection = { ...loaded, detectors: { names: ["mtcnn"], default: "mtcnn" } };
  assert.deepEqual(decide([disable("mtcnn")], [loaded, alone]), {
    kind: "refused",
    reason: "mtcnn is the only detector that is enabled: enable another one first.",
  });
});
