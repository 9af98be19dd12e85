import assert from "node:assert/strict";
import test from "node:test";
import { permanentSettings } from "./permanent-settings.ts";

const settings = { workers: 3, batchMax: 8, utilisationTarget: 0.7 };

test("each setting stands with the service that reads it, in every form", () => {
  const { npmStart, compose, helm } = permanentSettings(settings);
  assert.equal(npmStart, "BATCH_MAX=8 UTILISATION_TARGET=0.7 npm start -- --workers 3");
  assert.equal(
    compose,
    [
      "services:",
      "  inference:",
      "    deploy:",
      "      replicas: 3",
      "    environment:",
      '      BATCH_MAX: "8"',
      "  batcher:",
      "    environment:",
      '      UTILISATION_TARGET: "0.7"',
    ].join("\n"),
  );
  assert.equal(
    helm,
    [
      "poolDefaults:",
      "  settings:",
      "    batcher: { UTILISATION_TARGET: 0.7 }",
      "    workers: { BATCH_MAX: 8 }",
      "  workers:",
      "    replicas: 3",
    ].join("\n"),
  );
});
