import type { LaunchOptions } from "../launcher/settings.ts";
import type { Steps } from "../launcher/steps.ts";
import type { TestServers } from "../testing/test-servers.ts";

/** What every part of the benchmark is given. */
export type Bench = {
  servers: TestServers;
  launch: LaunchOptions;
  key: string;
  /** Of a run of the real engine. */
  threads: number;
  /** Minutes instead of half an hour: to see that all of it works, not to quote. */
  quick: boolean;
  /** Where what is fetched and measured is kept. */
  folder: string;
  steps: Steps;
  say(line: string): void;
  stop: AbortSignal;
};

export type Part = (bench: Bench) => Promise<Measured>;

/** `plan` and `results` are kept as JSON, with every value that was seen. */
export type Measured = {
  plan: unknown;
  results: unknown;
  tables: string;
  /** What was promised and does not hold: a sentence each, told in the tables too. With one of them the command ends with 1. */
  broken?: readonly string[];
};
