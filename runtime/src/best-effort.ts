/**
 * Background work that may fail without harm, because something else repairs it (the next report, a TTL, a
 * sweep). Each kind has a name, under which its failures are counted.
 */
const kinds = [
  "answer_removal",
  "cancel_publish",
  "clock_measurement",
  "dead_letter",
  "image_removal",
  "in_flight_report",
  "kafka_disconnect",
  "key_refresh",
  "keys_used_record",
  "log_delivery",
  "pending_answers_lookup",
  "pool_state_publish",
  "redis_ping",
  "report_publish",
  "sign_in_mail",
  "usage_write",
] as const;
type BestEffortWork = (typeof kinds)[number];

const failures = new Map<BestEffortWork, number>(kinds.map((work) => [work, 0]));

/** Lets `promise` run in the background and counts its failure under `work`. Never throws. */
export function bestEffort(work: BestEffortWork, promise: Promise<unknown>): void {
  promise.then(
    () => {},
    () => countFailures(work, 1),
  );
}

/** Counts failures of work that has no promise. */
export const countFailures = (work: BestEffortWork, count: number): void =>
  void failures.set(work, failures.get(work)! + count);

/** Returns the number of failures of each kind of work in this process. */
export const bestEffortFailures = (): ReadonlyMap<BestEffortWork, number> => failures;
