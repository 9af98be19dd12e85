import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { capture } from "./capture.ts";
import { maven } from "./maven.ts";
import { jarFaults, readHashes } from "./pinned-files.ts";
import { repository } from "./state-folder.ts";

const pom = join(repository, "deploy", "kafka", "pom.xml");
/** SHA-256 of each jar, as `sha256sum` prints it. The comment in the pom says how to make the list. */
const hashes = join(repository, "deploy", "kafka", "jars.sha256");
const stampName = "complete";
const javaMajorMin = 17;

/**
 * Returns the command of a Java that can run the broker. Throws a sentence when there is none, or an older
 * one. `alternative`: what to do without, the end of that sentence.
 */
export async function findJava(
  env: NodeJS.ProcessEnv,
  stop: AbortSignal,
  alternative = "or set KAFKA_BROKERS to a Kafka that already runs",
): Promise<string> {
  const java = env["JAVA_HOME"] ? join(env["JAVA_HOME"], "bin", "java") : "java";
  const advice = [
    `install a Java of version ${javaMajorMin} or later (Debian: apt install openjdk-17-jre-headless),`,
    `${alternative}.`,
  ].join(" ");
  const printed = await capture(java, ["-version"], { stop, absent: `Java is missing: ${advice}` });
  const major = javaMajor(printed);
  if (major === undefined || major < javaMajorMin) {
    throw new Error(`This Java (${major ?? "of unknown version"}) is too old: ${advice}`);
  }
  return java;
}

/**
 * Returns the version in the output of `java -version`: `openjdk version "17.0.15" …`, or before Java 9
 * `java version "1.8.0_392"`.
 */
export function javaMajor(printed: string): number | undefined {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(printed) ?? [];
  if (first === undefined) return undefined;
  return first === "1" && second !== undefined ? Number(second) : Number(first);
}

/**
 * Fetches the broker's jars unless the folder holds those of this very pom and list. Returns whether it
 * fetched them. Throws a sentence when a jar, fetched or present, is not the pinned one: Java would run it.
 */
export async function fetchKafkaJars(libs: string, stop: AbortSignal): Promise<boolean> {
  const list = readFileSync(hashes, "utf8");
  const pins = createHash("sha256").update(readFileSync(pom)).update(list).digest("hex");
  const stamp = join(libs, stampName);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === pins) {
    await refuseOtherJars(libs, list, "remove that folder, and the next start downloads them again");
    return false;
  }

  // Into another folder first, so that an interrupted download never looks complete.
  const partial = `${libs}.${process.pid}`;
  await mkdir(dirname(libs), { recursive: true });
  await maven(
    pom,
    "copy-dependencies",
    { includeScope: "runtime", outputDirectory: partial },
    { artifact: "the Kafka broker", alternative: "or set KAFKA_BROKERS to a Kafka that already runs", stop },
  );
  const advice = "remove that folder and those jars from Maven's own (~/.m2/repository), and start again";
  await refuseOtherJars(partial, list, advice);
  writeFileSync(join(partial, stampName), pins);
  await rm(libs, { recursive: true, force: true });
  await rename(partial, libs);
  return true;
}

async function refuseOtherJars(folder: string, list: string, advice: string): Promise<void> {
  const faults = await jarFaults(folder, readHashes(list));
  if (faults.length === 0) return;
  const named = faults.slice(0, faultsNamedMax).join(", ");
  const more = faults.length > faultsNamedMax ? ` and ${faults.length - faultsNamedMax} more` : "";
  throw new Error(
    `Kafka is not started, because the jars in ${folder} are not the pinned ones (${named}${more}): ${advice}.`,
  );
}

const faultsNamedMax = 3;
