// Used by autoscaling.sim.test.ts.
import type { Simulation } from "./simulation.ts";

/**
 * An autoscaler of Kubernetes as docs/operating/capacity.md sets it up: Prometheus scrapes the number of
 * workers needed, KEDA hands it on, and the HorizontalPodAutoscaler (HPA) adds and removes workers.
 *
 *     needed ──every 15 s──► scraped ──every 15 s──► wanted ──► the most of the last minute ──► workers
 *
 * Rules of the HPA that matter here: it does nothing while the number differs by a tenth or less; it doubles
 * the workers or adds four in 15 s, whichever is more; it removes workers that are still loading first.
 */
export class SimulatedAutoscaler {
  /** Time of all workers together, from the instant at which they were started. */
  workerMs = 0;
  /** How often more workers were followed by fewer, or fewer by more. */
  directionChanges = 0;
  workersMost = 0;
  readonly #plan: AutoscalingPlan;
  readonly #workers: { partition: number; isLoading: boolean }[] = [];
  #scraped = 0;
  #wanted: { at: number; workers: number }[] = [];
  #lastDirection = 0;
  #countedAt: number;

  constructor(plan: AutoscalingPlan) {
    this.#plan = plan;
    const { simulation, workersMin } = plan;
    this.#countedAt = simulation.events.now;
    // Those of the scenario.
    for (let partition = 0; partition < workersMin; partition++) {
      this.#workers.push({ partition, isLoading: false });
    }
    this.#every(pollMs / 2, () => (this.#scraped = plan.needed()));
    this.#every(pollMs, () => this.#scale());
  }

  /** Brings `workerMs` up to date. */
  count(): void {
    const { now } = this.#plan.simulation.events;
    this.workerMs += (now - this.#countedAt) * this.#workers.length;
    this.#countedAt = now;
    this.workersMost = Math.max(this.workersMost, this.#workers.length);
  }

  #scale(): void {
    const { workersMin, workersMax, simulation } = this.#plan;
    const { now } = simulation.events;
    const { length: current } = this.#workers;
    const isClose = Math.abs(this.#scraped / current - 1) <= tolerance;
    const wanted = isClose ? current : Math.min(workersMax, Math.max(workersMin, Math.ceil(this.#scraped)));
    this.#wanted = [
      ...this.#wanted.filter(({ at }) => now - at < stabilisationMs),
      { at: now, workers: wanted },
    ];
    const most = Math.max(...this.#wanted.map(({ workers }) => workers));
    const target =
      wanted > current ? Math.min(wanted, Math.max(2 * current, current + 4)) : Math.min(current, most);
    const direction = Math.sign(target - current);
    if (direction !== 0) {
      if (this.#lastDirection !== 0 && direction !== this.#lastDirection) this.directionChanges++;
      this.#lastDirection = direction;
    }
    this.count();
    while (this.#workers.length < target) this.#add();
    while (this.#workers.length > target) this.#remove();
    this.count();
  }

  #add(): void {
    const { simulation, loadMs, start } = this.#plan;
    let partition = 0;
    while (this.#workers.some((each) => each.partition === partition)) partition++;
    const worker = { partition, isLoading: true };
    this.#workers.push(worker);
    simulation.events.after(loadMs, () => {
      if (!this.#workers.includes(worker)) return;
      worker.isLoading = false;
      start(partition);
    });
  }

  #remove(): void {
    const index = this.#workers.findLastIndex(({ isLoading }) => isLoading);
    const [worker] = this.#workers.splice(index, 1);
    if (!worker!.isLoading) this.#plan.simulation.removeWorker(worker!.partition);
  }

  #every(firstMs: number, act: () => void): void {
    this.#plan.simulation.events.after(firstMs, () => {
      act();
      this.#every(pollMs, act);
    });
  }
}

const pollMs = 15_000;
const tolerance = 0.1;
/** `stabilizationWindowSeconds` of scaling down. */
const stabilisationMs = 60_000;

type AutoscalingPlan = {
  simulation: Simulation;
  /** The exported number. */
  needed(): number;
  /** A worker begins to serve on a free partition. */
  start(partition: number): void;
  /** Time from the decision to add a worker to its first report: its start and the load of its models. */
  loadMs: number;
  workersMin: number;
  workersMax: number;
};
