import { type Noise, sendCalls, twiceTheLimit } from "./raw-calls.ts";

/** Bodies of 31 MiB: a thousand vectors, all of them longer than those of any model. */
export const largeVectors: Noise = async () => {
  const vector = `[${Array.from({ length: 4_096 }, (_, index) => (index / 8_192).toFixed(5)).join()}]`;
  const candidates = Array.from({ length: Math.floor((31 * 1_048_576) / vector.length) }, () => vector);
  const body = Buffer.from(`{"vector":${vector},"candidates":[${candidates.slice(1).join()}]}`);
  return (server, stop) => sendCalls({ calls: [{ path: "/compare", body }], ...twiceTheLimit }, server, stop);
};
