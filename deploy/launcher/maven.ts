import { capture } from "./program.ts";

/** Runs a goal of the dependency plugin on a pinned pom. */
export async function maven(
  pom: string,
  goal: string,
  settings: Record<string, string>,
  options: MavenOptions,
) {
  const defines = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  await capture("mvn", ["-q", "-B", "-f", pom, `dependency:${goal}`, ...defines], {
    stop: options.stop,
    absent: `Maven is missing: install it (Debian: apt install maven), ${options.instead}.`,
    failed: `Maven could not fetch ${options.what}`,
  });
}

export type MavenOptions = {
  what: string;
  /** What else would do, for who has no Maven: the end of a sentence. */
  instead: string;
  stop: AbortSignal;
};
