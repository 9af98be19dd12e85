import { randomBytes } from "node:crypto";
import type { ErrorCode } from "@faceline/contracts/http/errors";

/** Part of every body. No response and no log may contain it. */
export const marker = `marker-${randomBytes(12).toString("hex")}`;

/** A JSON body with these fields, and the marker in an unknown field. */
export const jsonBody = (fields: object) => (): string => JSON.stringify({ ...fields, unread: marker });

/** The expected outcome: this error code, or "ok". "documented": "ok" or any code with a 4xx status. */
export type ExpectedEnd = ErrorCode | "ok" | "documented";

/** A call that no correct client sends, and its expected outcome. */
export type HostileCall = {
  name: string;
  path: string;
  method?: string;
  /** Headers beside the key and the content type of JSON. One with an empty value is left out. */
  headers?: Record<string, string>;
  /** Built when it is sent: some bodies have the largest size allowed. */
  body?: () => string | Uint8Array<ArrayBuffer>;
  ends: ExpectedEnd;
};
