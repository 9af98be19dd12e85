import type { Noise } from "./raw-calls.ts";
import { holdConnections } from "./raw-connections.ts";

/** Uploads that are announced and never come: as many as the team may have in flight, and again as many. */
export const idleUploads: Noise = async () => (server, stop) => {
  const head = (length: string) =>
    Buffer.from(
      `POST /compare HTTP/1.1\r\nhost: faceline\r\nx-api-key: ${server.key}\r\n` +
        `content-type: application/json\r\n${length}\r\n\r\n`,
    );
  const firstBytes = [head(`content-length: ${32 * 1_048_576}`), head("transfer-encoding: chunked")];
  return holdConnections({ connections: 128, perSecond: 100, firstBytes }, server, stop);
};
