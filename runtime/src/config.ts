import * as z from "zod";
import { removedSettings } from "./removed-settings.ts";

/**
 * Returns the settings of a service, read from its environment. An empty variable counts as unset, because
 * zod's coercion would turn it into 0. Throws one SettingsError that lists every invalid setting, and every
 * one that an earlier release had.
 */
export function readConfig<T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.infer<T> {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const removed = Object.entries(removedSettings)
    .filter(([name]) => variables[name] !== undefined)
    .map(([name, now]) => `${name} is no longer a setting: ${now}; remove it`);
  const parsed = schema.safeParse(variables);
  if (parsed.success && removed.length === 0) return parsed.data;
  const issues = parsed.error?.issues ?? [];
  throw new SettingsError([
    ...removed,
    ...issues.map(({ path, message }) => `${path.join(".")}: ${message}`),
  ]);
}

export class SettingsError extends Error {
  override name = "SettingsError";
  constructor(lines: string[]) {
    super(["settings:", ...lines].join("\n  "));
  }
}
