import { chmodSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

export const repository = resolve(import.meta.dirname, "../..");

/** What `npm start` would fetch, in the standalone image alone; nobody writes to it. */
export const fetchedInImage = join(repository, "fetched");

/**
 * Creates and returns the folders of a launch. Jars, Redis and models are shared by all launches and are in
 * `fetched`; data, logs and the key of a launch are in `run`. For `npm start` both are the state folder; each
 * test run has its own `run`, which is removed at its end, and in a container `fetched` is read-only.
 */
export function openStateFolder(fetched: string, run = fetched): StateFolder {
  for (const folder of [fetched, run]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  // Keys and the file of the durable Redis are here, so this also holds for an existing folder.
  chmodSync(run, 0o700);
  const create = (folder: string): string => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  return {
    run,
    java: join(fetched, "java"),
    kafkaLibs: join(fetched, "kafka", "libs"),
    redis: join(fetched, "redis"),
    models: join(fetched, "models"),
    zipkin: join(fetched, "zipkin"),
    prometheus: join(fetched, "debian-prometheus"),
    testRuns: join(fetched, "test-runs"),
    kafka: create(join(run, "kafka")),
    volatile: create(join(run, "redis", "volatile")),
    durable: create(join(run, "redis", "durable")),
    logs: create(join(run, "logs")),
    secrets: create(secretsFolder(run)),
    metrics: join(run, "prometheus"),
    samples: join(run, "samples"),
    devKey: join(run, "dev-key"),
    serviceAddress: serviceAddressFile(run),
    processes: join(run, "processes.json"),
  };
}

/** Folder of the passwords of a launch's servers. */
export const secretsFolder = (run: string): string => join(run, "secrets");

/** File with the address at which people reach the service of a launch. */
export const serviceAddressFile = (run: string): string => join(run, "service-address");

export type StateFolder = {
  run: string;
  /** The pinned Java, where none is installed. */
  java: string;
  kafkaLibs: string;
  redis: string;
  models: string;
  /** The jar of Zipkin, and Debian's Prometheus where none is installed. */
  zipkin: string;
  prometheus: string;
  testRuns: string;
  kafka: string;
  volatile: string;
  durable: string;
  logs: string;
  /** Passwords of the servers, new at every start. */
  secrets: string;
  /** Data and configuration of Prometheus. */
  metrics: string;
  samples: string;
  devKey: string;
  /** File that gives `npm run keys` the address for sign-in links. */
  serviceAddress: string;
  processes: string;
};
