import { randomBytes } from "node:crypto";
import type { ErrorCode } from "@faceline/contracts/http/errors";

/** Stands in every body: whatever comes back or is logged must not hold it. */
export const marker = `marker-${randomBytes(12).toString("hex")}`;

/** A body with these fields, and the marker in one that nobody reads. */
export const json = (fields: object) => (): string => JSON.stringify({ ...fields, unread: marker });

/** A body written by hand, for what no JSON writer makes. */
export const text = (body: string) => (): string => body;

/** How it must end: with this code, or well. `documented`: well, or with any code that blames the caller. */
export type Ending = ErrorCode | "ok" | "documented";

/** One call that no honest client makes, and how it must end. */
export type HostileCall = {
  name: string;
  path: string;
  method?: string;
  /** Beside the key and the content type of JSON. An empty one is left out. */
  headers?: Record<string, string>;
  /** Made when it is sent: some are as large as a body may be. */
  body?: () => string | Uint8Array<ArrayBuffer>;
  ends: Ending;
};
