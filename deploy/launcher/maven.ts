import { capture } from "./capture.ts";

/**
 * Runs a goal of Maven's dependency plugin on a pom with pinned versions. Throws a sentence when it fails.
 */
export async function maven(
  pom: string,
  goal: string,
  settings: Record<string, string>,
  options: MavenOptions,
) {
  const defines = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
  // -C: Maven 3 only warns when what it downloads has not the checksum that the repository states.
  await capture("mvn", ["-C", "-q", "-B", "-f", pom, `dependency:${goal}`, ...defines], {
    stop: options.stop,
    absent: `Maven is missing: install it (Debian: apt install maven), ${options.alternative}.`,
    failed: `Maven could not fetch ${options.artifact}`,
  });
}

type MavenOptions = {
  /** Name of the download, for the error message. */
  artifact: string;
  /** End of the sentence that tells how to do without Maven. */
  alternative: string;
  stop: AbortSignal;
};
