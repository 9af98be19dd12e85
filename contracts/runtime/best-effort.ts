/**
 * Background work that may fail without harm, because something else heals it (the next report, a TTL, a
 * sweep). Every such work has a name here, so that what was lost is counted and no failure is swallowed
 * unseen.
 */
type BestEffortWork =
  | "cancel_publish"
  | "clock_measurement"
  | "dead_letter"
  | "idempotency_release"
  | "idempotency_renewal"
  | "idempotency_store"
  | "image_removal"
  | "in_flight_report"
  | "key_refresh"
  | "keys_used_record"
  | "pending_answers_lookup"
  | "pool_state_publish"
  | "report_publish";

const failures = new Map<BestEffortWork, number>();

/** Lets `promise` run in the background and counts its failure. Never throws, and never rejects. */
export function bestEffort(work: BestEffortWork, promise: Promise<unknown>): void {
  promise.then(
    () => {},
    () => void failures.set(work, (failures.get(work) ?? 0) + 1),
  );
}

/** How often each work has failed in this process so far; work that has never failed is absent. */
export const bestEffortFailures = (): ReadonlyMap<BestEffortWork, number> => failures;
