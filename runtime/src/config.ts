import * as z from "zod";

/**
 * Returns the settings of a service, read from its environment. An empty variable counts as unset, because
 * zod's coercion would turn it into 0. Throws one SettingsError that lists every invalid setting.
 */
export function readConfig<T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.infer<T> {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  throw new SettingsError(parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`));
}

export class SettingsError extends Error {
  override name = "SettingsError";
  constructor(lines: string[]) {
    super(["settings:", ...lines].join("\n  "));
  }
}
