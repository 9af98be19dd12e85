import { parseArgs, type ParseArgsConfig } from "node:util";
import { likelyFieldOf } from "@faceline/contracts/http/likely-field";

/**
 * Parses a command line as `parseArgs` of Node does. Throws a sentence, which also names the option that was
 * probably meant, and the options that npm has kept: all that do not follow `--`. npm leaves those in `env`.
 */
export function parseOptions<const T extends ParseArgsConfig>(
  config: T,
  env: NodeJS.ProcessEnv = process.env,
): ReturnType<typeof parseArgs<T>> {
  const likely = likelyFieldOf(Object.keys(config.options ?? {}));
  const given = (config.args ?? process.argv.slice(2)).map((each) => each.split("=")[0]);
  const kept = Object.keys(env)
    .map((name) => /^npm_config_(\w+)$/.exec(name)?.[1] ?? "")
    .filter((name) => !npmsOwn.has(name))
    // npm interprets `--no-limits` as the opposite of `--limits`.
    .map((name) => likely(name) ?? likely(`no_${name}`))
    .filter((name) => name !== undefined && !given.includes(`--${name}`))
    .map((name) => `--${name}`);
  const event = env["npm_lifecycle_event"] ?? "start";
  const command = `npm ${event === "start" ? event : `run ${event}`} --`;
  if (kept.length > 0) {
    throw new Error(`npm keeps ${kept.join(", ")} for itself: write ${command} ${kept.join(" … ")}`);
  }
  try {
    return parseArgs(config);
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    const [, name] = /^Unknown option '-*([^']*)'/.exec(message) ?? [];
    const meant = likely(name ?? "");
    const hint = meant === undefined ? "" : `: did you mean --${meant}?`;
    if (name !== undefined) throw new Error(`Unknown option '--${name}'${hint}`, { cause });
    if (code !== "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") throw cause;
    throw new Error(`${message}. Options and their values come after --: ${command} --option value`, {
      cause,
    });
  }
}

/** Configuration of npm itself that commands have as options too: a user may have set it for npm. */
const npmsOwn = new Set(["help", "json", "only", "prefix"]);
