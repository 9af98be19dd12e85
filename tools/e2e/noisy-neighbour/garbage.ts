import { mulberry32 } from "@faceline/bench/statistics";
import type { Noise } from "./raw-calls.ts";
import { holdConnections } from "./raw-connections.ts";

/** Connections without a key whose bytes are not HTTP: random ones, a TLS hello, too many headers, no end. */
export const garbage: Noise = async () => {
  const next = mulberry32(20);
  const random = Buffer.from(Array.from({ length: 20_000 }, () => Math.floor(256 * next())));
  const firstBytes = [
    random,
    Buffer.concat([Buffer.from("16030100c8010000c40303", "hex"), random.subarray(0, 200)]),
    Buffer.from(`POST /verify HTTP/1.1\r\nhost: faceline\r\nx-long: ${"x".repeat(20_000)}\r\n\r\n`),
    Buffer.from("POST /verify HTTP/1.1\r\nhost: faceline\r\nx-a: "),
  ];
  return (server, stop) => holdConnections({ connections: 500, perSecond: 500, firstBytes }, server, stop);
};
