import assert from "node:assert/strict";
import test from "node:test";
import { searchAddress } from "./searches.ts";

test("a search says until when, so that Zipkin searches at once", () => {
  assert.equal(
    searchAddress("http://127.0.0.1:9411", "slow", 1_760_000_000_000),
    "http://127.0.0.1:9411/zipkin/?serviceName=faceline-ingress&minDuration=500000&lookback=15m&limit=50&endTs=1760000000000",
  );
});

test("there are no other searches", () => {
  for (const name of ["unknown", "toString", ""]) {
    assert.equal(searchAddress("http://127.0.0.1:9411", name, 0), undefined);
  }
});
