import type { SpanContext } from "@opentelemetry/api";
import { prometheusName } from "@faceline/contracts/metrics/prometheus-name";
import type { MetricName } from "@faceline/contracts/metrics/list";

/**
 * Keeps the last traced value of each bucket of a histogram, for the OpenMetrics page. The SDK for JavaScript
 * has no exemplars (3.1), so values sent by OTLP have none.
 */
export class Exemplars {
  readonly #attributeSetsMax: number;
  readonly #sets = new Map<string, ExemplarSet>();

  constructor(attributeSetsMax: number) {
    this.#attributeSetsMax = attributeSetsMax;
  }

  add(value: number, { name, bounds, attributes, span }: TracedValue): void {
    const key = `${name} ${JSON.stringify(attributes)}`;
    let set = this.#sets.get(key);
    if (set === undefined) {
      if (this.#sets.size >= this.#attributeSetsMax) return;
      set = { series: `${prometheusName(name)}_bucket{${labelsOf(attributes)}`, buckets: new Map() };
      this.#sets.set(key, set);
    }
    const { traceId, spanId } = span;
    set.buckets.set(
      bounds.find((bound) => value <= bound),
      { value, traceId, spanId, at: Date.now() },
    );
  }

  /** Texts of the exemplars, by the series of their buckets as they are on the page. */
  texts(): Map<string, string> {
    const texts = new Map<string, string>();
    for (const { series, buckets } of this.#sets.values()) {
      for (const [bound, { value, traceId, spanId, at }] of buckets) {
        const le = bound === undefined ? "+Inf" : `${bound}${Number.isInteger(bound) ? ".0" : ""}`;
        const ids = `{trace_id="${traceId}",span_id="${spanId}"}`;
        texts.set(`${series},le="${le}"}`, `${ids} ${value} ${(at / 1_000).toFixed(3)}`);
      }
    }
    return texts;
  }
}

/** Labels as the SDK's serializer writes them. Values are from short lists, so none is escaped. */
const labelsOf = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name.replaceAll(".", "_")}="${value}"`)
    .join(",");

type ExemplarSet = {
  series: string;
  /** The latest exemplar by upper bound; undefined is the bound above all. */
  buckets: Map<number | undefined, { value: number; traceId: string; spanId: string; at: number }>;
};

type Attributes = Readonly<Record<string, string | number | undefined>>;

type TracedValue = {
  name: MetricName;
  bounds: readonly number[];
  attributes: Attributes;
  span: Pick<SpanContext, "traceId" | "spanId">;
};
