import type { Profile } from "./profile.ts";
import type { Trace } from "../trace/trace.ts";
import { meanOf } from "./lane-times.ts";

/**
 * Returns how long one worker would be busy with each call of a trace if all batches had the size with the
 * most throughput, in ms.
 */
export function workOfCalls(trace: Trace, profile: Profile): Float32Array {
  const { lane, lanes } = trace.columns;
  const taskMs = lanes.map((id) => {
    const runs = profile.lanes.find((each) => each.lane === id)?.runs ?? [];
    return Math.min(...runs.map(({ size, ms }) => meanOf(ms) / size));
  });
  return Float32Array.from({ length: trace.calls }, (_, call) => taskMs[lane[call]!]! * trace.imagesOf(call));
}
