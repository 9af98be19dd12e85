import type * as z from "zod";

/** Reads a message at the border. The reason of a failure names fields, never what they hold. */
export function readMessage<T extends z.ZodType>(schema: T, message: Buffer | null): Read<z.infer<T>> {
  let json: unknown;
  try {
    json = JSON.parse(message?.toString("utf8") ?? "");
  } catch {
    return { ok: false, reason: "not JSON" };
  }
  const read = schema.safeParse(json);
  if (read.success) return { ok: true, value: read.data };
  const reason = read.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.code}`).join("; ");
  return { ok: false, reason: reason.slice(0, reasonCharactersMax) };
}

const reasonCharactersMax = 512;

type Read<T> = { ok: true; value: T } | { ok: false; reason: string };
