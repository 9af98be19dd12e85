import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { maven } from "./maven.ts";
import { repository } from "./state-folder.ts";

const pom = join(repository, "deploy", "kafka", "pom.xml");
const stampName = "complete";

/** Fetches the broker's jars, unless those of this very pom are there. False: they were. */
export async function fetchKafkaJars(libs: string, stop: AbortSignal): Promise<boolean> {
  const wanted = createHash("sha256").update(readFileSync(pom)).digest("hex");
  const stamp = join(libs, stampName);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return false;

  // Into a folder of its own first: half of the jars must never look like all of them.
  const partial = `${libs}.${process.pid}`;
  await mkdir(dirname(libs), { recursive: true });
  await maven(
    pom,
    "copy-dependencies",
    { includeScope: "runtime", outputDirectory: partial },
    { what: "the Kafka broker", instead: "or set KAFKA_BROKERS to a Kafka that already runs", stop },
  );
  writeFileSync(join(partial, stampName), wanted);
  await rm(libs, { recursive: true, force: true });
  await rename(partial, libs);
  return true;
}
