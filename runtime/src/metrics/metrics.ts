import type { MetricName, metricList } from "@faceline/contracts/metrics/list";
import type { Log } from "../log.ts";
import type { OtlpOptions } from "../otlp-config.ts";

export const metricsOff: Metrics = {
  on: false,
  add() {},
  record() {},
  observe() {},
  page: async () => "",
  async [Symbol.asyncDispose]() {},
};

/** Instruments by their names in `metricList`. Recording never throws and costs about a microsecond. */
export type Metrics = AsyncDisposable & {
  /** Whether somebody reads the metrics. If not, nothing need be computed for them. */
  readonly on: boolean;
  /** Adds to a counter; 0 makes its series exist, so that the first event is seen as an increase. */
  add<Name extends NameOf<"counter">>(name: Name, value: number, attributes: AttributesOf<Name>): void;
  /** Records a value of a histogram, in the unit of the list. `span`: one in an exported trace. */
  record<Name extends NameOf<"histogram">>(
    name: Name,
    value: number,
    attributes: AttributesOf<Name>,
    span?: Exemplar,
  ): void;
  /** `read` returns the present values, whenever somebody asks. To be called once for each name. */
  observe<Name extends NameOf<"gauge" | "observed_counter" | "observed_up_down_counter">>(
    name: Name,
    read: () => Iterable<Observation<Name>>,
  ): void;
  /** The page for Prometheus. */
  page(format?: PageFormat): Promise<string>;
};

/** `openmetrics`: OpenMetrics 1.0, which has exemplars; `text`: Prometheus' own. */
export type PageFormat = "text" | "openmetrics";

type Exemplar = { traceId: string; spanId: string };

export type MetricsOptions = OtlpOptions & {
  /** Whether the operators' port will ask for the page. */
  page: boolean;
  log: Pick<Log, "warn" | "info">;
};

type NameOf<Kind> = { [Name in MetricName]: List[Name]["kind"] extends Kind ? Name : never }[MetricName];
type AttributesOf<Name extends MetricName> = Record<
  Exclude<List[Name]["attributes"][number], Conditional>,
  string | number
> &
  Partial<Record<Extract<List[Name]["attributes"][number], Conditional>, string | number>>;
/** Left out if the work succeeded, if the port is the usual one, and by producers. */
type Conditional = "error.type" | "server.port" | "messaging.consumer.group.name";
type Observation<Name extends MetricName> = [value: number, attributes: AttributesOf<Name>];
type List = typeof metricList;
