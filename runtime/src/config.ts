import * as z from "zod";

/**
 * Returns the settings of a service, read from its environment. White space around a value does not count,
 * such as the carriage return of a file from Windows. An empty variable counts as unset, because zod's
 * coercion would turn it into 0. Throws one SettingsError that lists every invalid setting with its value.
 */
export function readConfig<T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv): z.infer<T> {
  const trimmed = Object.entries(env).map(([name, value = ""]) => [name, value.trim()] as const);
  const variables = Object.fromEntries(trimmed.filter(([, value]) => value !== ""));
  const names = "shape" in schema ? Object.keys(schema.shape as object) : [];
  const quoted = names.filter((name) => /^(["']).*\1$/s.test(variables[name] ?? ""));
  for (const name of quoted) variables[name] = variables[name]!.slice(1, -1).trim();
  const parsed = schema.safeParse(variables);
  if (parsed.success && quoted.length === 0) return parsed.data;
  const issues = parsed.error?.issues ?? [];
  throw new SettingsError([
    ...quoted.map((name) => `${name}: the quotes around it count, as in env files of Docker: remove them`),
    ...issues.map(({ path, message, code }) => {
      const value = code === "custom" ? "" : shownValue(String(path[0]), variables);
      return `${path.join(".")}: ${message.replace(", received NaN", "")}${value}`;
    }),
  ]);
}

/** Returns the text about the value of a wrong setting; nothing about one that may hold a secret. */
function shownValue(name: string, variables: Record<string, string>): string {
  const value = variables[name];
  if (value === undefined || /PASSWORD|SECRET|TOKEN|KEY|URL/.test(name) || value.includes("@")) return "";
  return ` (it is ${JSON.stringify(value.slice(0, 100))})`;
}

export class SettingsError extends Error {
  override name = "SettingsError";
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(["settings:", ...lines].join("\n  "));
    this.lines = lines;
  }
}
