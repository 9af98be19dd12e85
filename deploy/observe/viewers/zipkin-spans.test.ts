import assert from "node:assert/strict";
import test from "node:test";
import { toZipkinSpans } from "./zipkin-spans.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const otherTrace = "5bf92f3577b34da6a3ce929d0e0e4736";
const span = {
  traceId,
  spanId: "00f067aa0ba902b7",
  name: "queue",
  startTimeUnixNano: "1760000000000123456",
  endTimeUnixNano: "1760000000002123456",
};
const convert = (...spans: unknown[]) =>
  toZipkinSpans(
    {
      resourceSpans: [
        {
          resource: {
            attributes: [
              { key: "service.name", value: { stringValue: "faceline-batcher" } },
              { key: "service.instance.id", value: { stringValue: "batcher-1f" } },
            ],
          },
          scopeSpans: [{ scope: { name: "faceline" }, spans }],
        },
      ],
    },
    (id) => `http://zipkin/traces/${id}`,
  );

test("a span has its ids, times in microseconds, kind, service and the system it reads from", () => {
  const attributes = [{ key: "messaging.system", value: { stringValue: "kafka" } }];
  assert.deepEqual(convert({ ...span, parentSpanId: "10f067aa0ba902b7", kind: 5, attributes }), [
    {
      traceId,
      id: "00f067aa0ba902b7",
      parentId: "10f067aa0ba902b7",
      name: "queue",
      kind: "CONSUMER",
      timestamp: 1_760_000_000_000_123,
      duration: 2_000,
      localEndpoint: { serviceName: "faceline-batcher" },
      remoteEndpoint: { serviceName: "kafka" },
      annotations: [],
      tags: { "messaging.system": "kafka", "service.instance.id": "batcher-1f" },
    },
  ]);
});

test("the first span of a trace has no parent, an internal one no kind, and none is without a duration", () => {
  const [root] = convert({ ...span, parentSpanId: "", kind: 1, endTimeUnixNano: span.startTimeUnixNano });
  assert.deepEqual([root!.parentId, root!.kind, root!.duration], [undefined, undefined, 1]);
});

test("attributes of every type become texts", () => {
  const values = {
    text: { stringValue: "Dlib/ssd" },
    yes: { boolValue: true },
    no: { boolValue: false },
    whole: { intValue: "9007199254740993" },
    number: { intValue: 8 },
    share: { doubleValue: 0.25 },
    time: { doubleValue: 763.991943359375 },
    infinite: { doubleValue: "Infinity" },
    bytes: { bytesValue: "AAE=" },
    list: { arrayValue: { values: [{ stringValue: "a" }, { intValue: 2 }] } },
    map: { kvlistValue: { values: [{ key: "inner", value: { boolValue: true } }] } },
    empty: {},
  };
  const [{ tags } = { tags: {} }] = convert({
    ...span,
    attributes: Object.entries(values).map(([key, value]) => ({ key, value })),
  });
  assert.deepEqual(tags, {
    text: "Dlib/ssd",
    yes: "true",
    no: "false",
    whole: "9007199254740993",
    number: "8",
    share: "0.25",
    time: "763.992",
    infinite: "Infinity",
    bytes: "AAE=",
    list: '["a",2]',
    map: '{"inner":true}',
    empty: "",
    "service.instance.id": "batcher-1f",
  });
});

test("each link is a tag with the address of the linked trace", () => {
  const links = [traceId, otherTrace].map((id) => ({ traceId: id, spanId: "00f067aa0ba902b7" }));
  const [converted] = convert({ ...span, links });
  assert.deepEqual(
    [converted!.tags["link.1"], converted!.tags["link.2"]],
    [`http://zipkin/traces/${traceId}`, `http://zipkin/traces/${otherTrace}`],
  );
});

test("a failed span has the tag error: its message, else the type of error, never nothing", () => {
  const errorOf = (status: unknown, attributes: unknown[] = []) => {
    const [converted] = convert({ ...span, status, attributes });
    return converted!.tags["error"];
  };
  const errorType = { key: "error.type", value: { stringValue: "lost" } };
  assert.equal(errorOf({ code: 2, message: "the batch was lost" }, [errorType]), "the batch was lost");
  assert.equal(errorOf({ code: 2 }, [errorType]), "lost");
  assert.equal(errorOf({ code: 2 }), "failed");
  assert.equal(errorOf({ code: 1 }), undefined);
  assert.equal(errorOf(undefined), undefined);
});

test("events are annotations, with their attributes", () => {
  const timeUnixNano = "1760000000001000000";
  const attributes = [{ key: "tries", value: { intValue: 2 } }];
  const [{ annotations } = { annotations: [] }] = convert({
    ...span,
    events: [
      { timeUnixNano, name: "sent" },
      { timeUnixNano, name: "retry", attributes },
    ],
  });
  assert.deepEqual(annotations, [
    { timestamp: 1_760_000_000_001_000, value: "sent" },
    { timestamp: 1_760_000_000_001_000, value: '{"retry":{"tries":"2"}}' },
  ]);
});

test("an empty request has no spans, and what is no request is refused", () => {
  assert.deepEqual(
    toZipkinSpans({}, (id) => id),
    [],
  );
  for (const wrong of [
    null,
    [],
    { resourceSpans: {} },
    { resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, traceId: "0".repeat(32) }] }] }] },
  ]) {
    assert.throws(() => toZipkinSpans(wrong, (id) => id));
  }
  assert.throws(() => convert({ ...span, spanId: "short" }));
  assert.throws(() => convert({ ...span, startTimeUnixNano: "-1" }));
  assert.throws(() => convert({ ...span, attributes: [{ key: "deep", value: { stringValue: 1 } }] }));
});
