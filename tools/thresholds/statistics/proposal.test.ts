import assert from "node:assert/strict";
import test from "node:test";
import { ErrorCurve } from "./error-curve.ts";
import { proposeThreshold } from "./proposal.ts";
import { RateEvidence } from "./rate-evidence.ts";

/** Pairs that share nobody, so that each is an observation: different people at 1 / n, 2 / n … 1. */
function independent(pairs: number) {
  const different = Array.from({ length: pairs }, (_, i) => ({ distance: (i + 1) / pairs, same: false }));
  const curve = new ErrorCurve([...different, { distance: 0, same: true }]);
  return { curve, evidence: new RateEvidence(pairs, { pairs, people: 2 * pairs }, []) };
}

test("the proposed threshold is right below the distance that would break the promise", () => {
  const { curve, evidence } = independent(10_000);
  // 81 false matches of 10,000 are surely at most 1%, 83 are not: qbeta(0.95, 83, 9918) = 0.009941.
  const proposal = proposeThreshold(curve, evidence, 0.01);
  assert.ok(proposal.kind === "proposed");
  const matches = curve.falseMatches(proposal.threshold);
  assert.ok(evidence.bound(matches) <= 0.01 && evidence.bound(matches + 1) > 0.01, `${matches}`);
  assert.equal(proposal.threshold, Number(((matches + 1) / 10_000 - 0.0001).toFixed(4)));
});

test("300 pairs show 1%, not 0.1%, and the refusal says what would", () => {
  const { curve, evidence } = independent(300);
  assert.equal(proposeThreshold(curve, evidence, 0.01).kind, "proposed");
  const refused = proposeThreshold(curve, evidence, 0.001);
  assert.ok(refused.kind === "refused");
  assert.ok(Math.abs(refused.least - 3 / 300) < 0.0002);
  assert.equal(refused.pairsNeeded, 2_995);
  assert.equal(refused.peopleNeeded, Math.ceil((600 * 2_995) / 300));
});

test("300 pairs of 25 people do not show 1%: at the least, 12 of them are independent", () => {
  const { curve } = independent(300);
  const refused = proposeThreshold(curve, new RateEvidence(300, { pairs: 12, people: 25 }, []), 0.01);
  assert.ok(refused.kind === "refused");
  assert.ok(Math.abs(refused.least - (1 - 0.05 ** (1 / 12))) < 1e-9);
});

test("no threshold is proposed below a pair of two people at the distance 0", () => {
  const twins = Array.from({ length: 1_000 }, () => ({ distance: 0, same: false }));
  const curve = new ErrorCurve([...twins, { distance: 0.5, same: false }, { distance: 0, same: true }]);
  const evidence = new RateEvidence(1_001, { pairs: 1_001, people: 2_002 }, []);
  assert.equal(proposeThreshold(curve, evidence, 0.5).kind, "refused");
});
