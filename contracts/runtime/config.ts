import * as z from "zod";

/**
 * Reads the settings of a service from its environment. A variable that is set to nothing counts as unset:
 * zod's coercion would turn it into 0. Throws one SettingsError that names every mistake at once.
 */
export function readConfig<T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.infer<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  throw new SettingsError(read.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`));
}

export class SettingsError extends Error {
  override name = "SettingsError";
  constructor(lines: string[]) {
    super(`settings:\n${lines.join("\n")}`);
  }
}
