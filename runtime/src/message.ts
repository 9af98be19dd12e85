import type * as z from "zod";

/**
 * Parses and validates a JSON message from another process. `reason` names the invalid fields and never
 * contains their values, so it may be logged. Never throws.
 */
export function readMessage<T extends z.ZodType>(schema: T, message: Buffer | null): ReadResult<z.infer<T>> {
  let json: unknown;
  try {
    json = JSON.parse(message?.toString("utf8") ?? "");
  } catch {
    return { ok: false, reason: "not JSON" };
  }
  return readValue(schema, json);
}

/** The same for a value of a message that was parsed already. */
export function readValue<T extends z.ZodType>(schema: T, value: unknown): ReadResult<z.infer<T>> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const reason = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.code}`).join("; ");
  return { ok: false, reason: reason.slice(0, reasonCharactersMax) };
}

const reasonCharactersMax = 512;

type ReadResult<T> = { ok: true; value: T } | { ok: false; reason: string };
