import { type MetricDefinition, type MetricName, metricList } from "./list.ts";

/**
 * The name on the Prometheus page, the same that a Collector makes: dots become underscores, the unit comes
 * last, and a counter ends in `_total`. A histogram's series have `_bucket`, `_sum` and `_count` behind it.
 */
export function prometheusName(name: MetricName): string {
  const { kind, unit }: MetricDefinition = metricList[name];
  const suffix = kind === "counter" || kind === "observed_counter" ? "_total" : "";
  return nameWithUnit(name, unit).replaceAll(".", "_") + suffix;
}

/** `faceline.queue.age`, `s` → `faceline.queue.age.seconds`. */
export function nameWithUnit(name: string, unit: string): string {
  const word = unitWords.get(unit);
  return word === undefined ? name : `${name}.${word}`;
}

/** Units in braces are not part of names. */
const unitWords = new Map([
  ["s", "seconds"],
  ["By", "bytes"],
  ["1", "ratio"],
]);
