// Covers the names, kinds and attributes of metrics and spans.
import assert from "node:assert/strict";
import test from "node:test";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { type MetricDefinition, metricList } from "@faceline/contracts/metrics/list";
import { attributes } from "@faceline/contracts/trace/attributes";
import { metricConventions } from "@faceline/testing/conventions";

const standardNames = new Set<unknown>(Object.values(conventions));
/** Names of this project, and of Prometheus. */
const ownNames = /^(faceline|redis)\.|^process\.start\.time$/;
const ownLabels = /^[a-z_]+$/;

test("every metric that is not ours is in the conventions, with their kind, unit and attributes", () => {
  for (const [name, definition] of Object.entries<MetricDefinition>(metricList)) {
    const unknown = definition.attributes.filter((each) => !standardNames.has(each) && !ownLabels.test(each));
    assert.deepEqual(unknown, [], name);
    if (ownNames.test(name)) continue;
    assert.ok(standardNames.has(name), name);
    const convention = metricConventions[name];
    assert.ok(convention, `${name} is in the list`);
    const { kind, unit, required, conditional = [] } = convention;
    assert.deepEqual([definition.kind, definition.unit], [kind, unit], name);
    const expected = [...required, ...conditional];
    const named = definition.attributes.filter((each) => !ownLabels.test(each));
    assert.deepEqual(named.toSorted(), expected.toSorted(), name);
  }
});

test("every attribute of spans that is not ours is in the conventions", () => {
  const others = Object.keys(attributes).filter((name) => !name.startsWith("faceline."));
  assert.deepEqual(
    others.filter((name) => !standardNames.has(name)),
    [],
  );
});
