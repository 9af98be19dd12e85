import { chmodSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

export const repository = resolve(import.meta.dirname, "../..");

/**
 * The folders of a launch. What is fetched or built (jars, Redis, models) is the same for everybody and lies in
 * `fetched`; what a run writes (data, logs, the key) lies in `run`. For `npm start` both are the state folder, a test
 * run has a `run` of its own that goes when it ends.
 */
export function openState(fetched: string, run = fetched): StateFolder {
  for (const folder of [fetched, run]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Keys and the durable Redis' file lie here: also where the folder was there before.
    chmodSync(folder, 0o700);
  }
  const made = (folder: string): string => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  return {
    run,
    kafkaLibs: join(fetched, "kafka", "libs"),
    redis: join(fetched, "redis"),
    models: join(fetched, "models"),
    testRuns: join(fetched, "test-runs"),
    kafka: made(join(run, "kafka")),
    volatile: made(join(run, "redis", "volatile")),
    durable: made(join(run, "redis", "durable")),
    logs: made(join(run, "logs")),
    samples: join(run, "samples"),
    devKey: join(run, "dev-key"),
    processes: join(run, "processes.json"),
  };
}

export type StateFolder = {
  run: string;
  kafkaLibs: string;
  redis: string;
  models: string;
  testRuns: string;
  kafka: string;
  volatile: string;
  durable: string;
  logs: string;
  samples: string;
  devKey: string;
  processes: string;
};
