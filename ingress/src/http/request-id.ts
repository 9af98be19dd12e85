import { RequestId } from "@faceline/contracts/http/reply-fields";
import { randomBytes } from "../random.ts";

/** The client's own id where it is usable, else a new one. */
export function requestIdOf(given: string | string[] | undefined, now: number): RequestId {
  const read = RequestId.safeParse(given);
  return read.success ? read.data : uuidV7(now);
}

/** Sorts by time: 48 bits of epoch milliseconds, then 74 random bits (RFC 9562). */
function uuidV7(now: number): RequestId {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Math.trunc(now), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join("-") as RequestId;
}
