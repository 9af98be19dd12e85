import * as z from "zod";

/**
 * Returns the spans of an OTLP/JSON request as Zipkin takes them. Zipkin has no links: each becomes a tag,
 * `link.1` and so on, with the address of the linked trace. Throws a ZodError where the request is none.
 * Mapping: https://opentelemetry.io/docs/specs/otel/trace/sdk_exporters/zipkin/
 */
export function toZipkinSpans(request: unknown, traceAddress: (traceId: string) => string): ZipkinSpan[] {
  return ExportRequest.parse(request).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const process = tagsOf(resource.attributes);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => zipkinSpan(span, process, traceAddress)));
  });
}

function zipkinSpan(span: Span, process: Tags, traceAddress: (traceId: string) => string): ZipkinSpan {
  const tags = tagsOf(span.attributes);
  const peer = tags["messaging.system"] ?? tags["db.system.name"];
  const instance = process["service.instance.id"];
  const startUs = microseconds(span.startTimeUnixNano);
  return {
    traceId: span.traceId,
    id: span.spanId,
    ...(span.parentSpanId ? { parentId: span.parentSpanId } : {}),
    name: span.name,
    ...(kinds[span.kind] === undefined ? {} : { kind: kinds[span.kind] }),
    timestamp: startUs,
    // Zipkin takes 0 for a span that has not ended.
    duration: Math.max(1, microseconds(span.endTimeUnixNano) - startUs),
    localEndpoint: { serviceName: process["service.name"] ?? "unknown_service" },
    ...(peer === undefined ? {} : { remoteEndpoint: { serviceName: peer } }),
    annotations: span.events.map((event) => ({
      timestamp: microseconds(event.timeUnixNano),
      value:
        event.attributes.length === 0
          ? event.name
          : JSON.stringify({ [event.name]: tagsOf(event.attributes) }),
    })),
    tags: {
      ...statusTags(span.status, tags["error.type"]),
      ...tags,
      ...Object.fromEntries(span.links.map(({ traceId }, i) => [`link.${i + 1}`, traceAddress(traceId)])),
      ...(instance === undefined ? {} : { "service.instance.id": instance }),
    },
  };
}

/** A span with the tag `error` is red in Zipkin. */
function statusTags({ code, message }: Span["status"], errorType: string | undefined): Tags {
  if (code === 1) return { "otel.status_code": "OK" };
  if (code !== 2) return {};
  return { "otel.status_code": "ERROR", error: message || errorType || "failed" };
}

const tagsOf = (attributes: KeyValue[]): Tags =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, textOf(value)]));

/** Numbers are rounded to thousandths: they are for people, who compare times in ms. */
function textOf(value: AnyValue): string {
  const plain = plainValue(value);
  if (typeof plain === "number") return `${Number(plain.toFixed(3))}`;
  return typeof plain === "string" ? plain : JSON.stringify(plain);
}

/** Numbers of 64 bits stay texts: a double could not hold them. */
function plainValue(value: AnyValue): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plainValue);
  if (value.kvlistValue !== undefined) {
    return Object.fromEntries(value.kvlistValue.values.map(({ key, value }) => [key, plainValue(value)]));
  }
  const { stringValue, boolValue, intValue, doubleValue, bytesValue } = value;
  return stringValue ?? boolValue ?? intValue ?? doubleValue ?? bytesValue ?? "";
}

const microseconds = (nanoseconds: string | number): number => Number(BigInt(nanoseconds) / 1_000n);

/** Kinds by the numbers of OTLP: server, client, producer, consumer. Zipkin has no others. */
const kinds: Partial<Record<number, ZipkinSpan["kind"]>> = {
  2: "SERVER",
  3: "CLIENT",
  4: "PRODUCER",
  5: "CONSUMER",
};

const id = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-fA-F]{${digits}}$`));
const Nanoseconds = z.union([z.string().regex(/^\d{1,20}$/), z.int().min(0)]);

type AnyValue = {
  stringValue?: string | undefined;
  boolValue?: boolean | undefined;
  intValue?: string | number | undefined;
  doubleValue?: number | string | undefined;
  bytesValue?: string | undefined;
  arrayValue?: { values: AnyValue[] } | undefined;
  kvlistValue?: { values: KeyValue[] } | undefined;
};
type KeyValue = { key: string; value: AnyValue };

const AnyValue: z.ZodType<AnyValue> = z.lazy(() =>
  z.object({
    stringValue: z.string().optional(),
    boolValue: z.boolean().optional(),
    intValue: z.union([z.string(), z.number()]).optional(),
    // NaN and Infinity are texts in JSON.
    doubleValue: z.union([z.number(), z.string()]).optional(),
    bytesValue: z.string().optional(),
    arrayValue: z.object({ values: z.array(AnyValue).default([]) }).optional(),
    kvlistValue: z.object({ values: KeyValues }).optional(),
  }),
);
const KeyValues: z.ZodType<KeyValue[]> = z
  .array(z.object({ key: z.string(), value: AnyValue.prefault({}) }))
  .prefault([]);

const Span = z.object({
  traceId: id(32),
  spanId: id(16),
  parentSpanId: z.union([z.literal(""), id(16)]).optional(),
  name: z.string(),
  kind: z.int().default(0),
  startTimeUnixNano: Nanoseconds,
  endTimeUnixNano: Nanoseconds,
  attributes: KeyValues,
  events: z
    .array(z.object({ timeUnixNano: Nanoseconds, name: z.string(), attributes: KeyValues }))
    .default([]),
  links: z.array(z.object({ traceId: id(32) })).default([]),
  status: z.object({ code: z.int().default(0), message: z.string().optional() }).default({ code: 0 }),
});
type Span = z.infer<typeof Span>;

/** `ExportTraceServiceRequest` of OTLP, as JSON. What Zipkin has no place for is left out. */
const ExportRequest = z.object({
  resourceSpans: z
    .array(
      z.object({
        resource: z.object({ attributes: KeyValues }).prefault({ attributes: [] }),
        scopeSpans: z.array(z.object({ spans: z.array(Span).default([]) })).default([]),
      }),
    )
    .default([]),
});

type Tags = Record<string, string>;

/** A span of Zipkin's API v2. */
export type ZipkinSpan = {
  traceId: string;
  id: string;
  parentId?: string;
  name: string;
  kind?: "SERVER" | "CLIENT" | "PRODUCER" | "CONSUMER" | undefined;
  /** Epoch microseconds. */
  timestamp: number;
  /** Microseconds. */
  duration: number;
  localEndpoint: { serviceName: string };
  remoteEndpoint?: { serviceName: string };
  annotations: { timestamp: number; value: string }[];
  tags: Tags;
};
