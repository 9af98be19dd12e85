import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { AggregationTemporality, type MetricData, MetricReader } from "@opentelemetry/sdk-metrics";
import { nameWithUnit } from "@faceline/contracts/metrics/prometheus-name";
import type { Exemplars } from "./exemplars.ts";
import type { PageFormat } from "./metrics.ts";
import { openMetricsText } from "./open-metrics-text.ts";

/**
 * The Prometheus page. The exporter of OpenTelemetry leaves units out of names; Collectors and Prometheus
 * itself put them in, and dashboards should fit both.
 */
export class MetricsPage extends MetricReader {
  // No prefix, no timestamps, no resource as labels but in target_info, no scope as labels.
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, false, true);

  constructor() {
    super({ aggregationTemporalitySelector: () => AggregationTemporality.CUMULATIVE });
  }

  async text(format: PageFormat, exemplars: Exemplars): Promise<string> {
    const { resourceMetrics } = await this.collect();
    const scopeMetrics = resourceMetrics.scopeMetrics.map((scope) => ({
      ...scope,
      metrics: scope.metrics.map(withUnitInName),
    }));
    const page = this.#serializer.serialize({ ...resourceMetrics, scopeMetrics });
    return format === "text" ? page : openMetricsText(page, exemplars.texts());
  }

  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

function withUnitInName(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor;
  // Without a unit the serializer writes no `# UNIT` line, which is not part of this format.
  return { ...metric, descriptor: { ...metric.descriptor, name: nameWithUnit(name, unit), unit: "" } };
}
