import type { MetricName, metricList } from "@faceline/contracts/metrics/list";
import type { Log } from "../log.ts";
import type { MetricsConfig } from "./config.ts";

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
  /** Records a value of a histogram, in the unit of the list. */
  record<Name extends NameOf<"histogram">>(name: Name, value: number, attributes: AttributesOf<Name>): void;
  /** `read` returns the present values, whenever somebody asks. To be called once for each name. */
  observe<Name extends NameOf<"gauge" | "observed_counter">>(
    name: Name,
    read: () => Iterable<Observation<Name>>,
  ): void;
  /** The Prometheus page. */
  page(): Promise<string>;
};

export type MetricsOptions = {
  config: MetricsConfig;
  /** Whether the operators' port will ask for the page. */
  page: boolean;
  /** `ingress`: its metrics are of the service `faceline-ingress`. */
  service: string;
  /** Id of this process. */
  id: string;
  log: Pick<Log, "warn" | "info">;
};

type NameOf<Kind> = { [Name in MetricName]: List[Name]["kind"] extends Kind ? Name : never }[MetricName];
/** `error.type` is left out where the work succeeded, as the conventions of OpenTelemetry have it. */
type AttributesOf<Name extends MetricName> = Record<
  Exclude<List[Name]["attributes"][number], "error.type">,
  string | number
> &
  Partial<Record<Extract<List[Name]["attributes"][number], "error.type">, string>>;
type Observation<Name extends MetricName> = [value: number, attributes: AttributesOf<Name>];
type List = typeof metricList;
