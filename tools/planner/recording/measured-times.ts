import type { RecordedCall } from "@faceline/contracts/recording/recorded-call";
import { LatencyHistogram } from "../prediction/latency-histogram.ts";
import type { MeasuredCalls } from "../trace/measured-calls.ts";

/** Collects the times that ingresses measured of recorded calls, in a bounded memory. */
export class MeasuredTimes {
  readonly #tookMs = new LatencyHistogram();
  readonly #serviceMs = new LatencyHistogram();
  #calls = 0;

  add({ tookMs, serviceMs }: RecordedCall): void {
    if (tookMs === undefined || serviceMs === undefined) return;
    this.#calls++;
    this.#tookMs.add(tookMs);
    this.#serviceMs.add(serviceMs);
  }

  /** Undefined where too few calls were answered for a p99. */
  summary(settings: MeasuredCalls["settings"]): MeasuredCalls | undefined {
    if (this.#calls < callsMin) return undefined;
    const rounded = (ms: number) => Number(ms.toFixed(2));
    return {
      p50Ms: rounded(this.#tookMs.quantile(0.5)),
      p99Ms: rounded(this.#tookMs.quantile(0.99)),
      serviceMs: shares.map((share) => rounded(this.#serviceMs.quantile(share))),
      ...(settings !== undefined && { settings }),
    };
  }
}

const callsMin = 20;
/** Every twentieth of the distribution, without its ends, which would stand for a whole twentieth. */
const shares = Array.from({ length: 21 }, (_, index) => Math.min(0.99, Math.max(0.01, index / 20)));
