import assert from "node:assert/strict";
import test from "node:test";
import { permanentSettings } from "./permanent-settings.ts";

const settings = { workers: 3, batchMax: 8, utilisationTarget: 0.7 };

test("each setting stands with the service that reads it, in every form", () => {
  const { npmStart, environment, compose, helm } = permanentSettings(settings);
  assert.equal(npmStart, "BATCH_MAX=8 UTILISATION_TARGET=0.7 npm start -- --workers 3");
  assert.equal(environment, "# 3 workers\nBATCH_MAX=8  # inference\nUTILISATION_TARGET=0.7  # batcher");
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
      "inference:",
      "  replicas: 3",
      "  env:",
      '    BATCH_MAX: "8"',
      "batcher:",
      "  env:",
      '    UTILISATION_TARGET: "0.7"',
    ].join("\n"),
  );
});

test("a deadline is a setting of the ingress", () => {
  const { environment, helm } = permanentSettings({ ...settings, deadlineMs: 2_000 });
  assert.match(environment, /\nDEADLINE_DEFAULT_MS=2000 {2}# ingress$/);
  assert.match(helm, /\ningress:\n {2}env:\n {4}DEADLINE_DEFAULT_MS: "2000"$/);
});
