import { join } from "node:path";
import { capture } from "./program.ts";

const javaMajorMin = 17;

/** The path of a Java that can run the broker. */
export async function findJava(env: NodeJS.ProcessEnv, stop: AbortSignal): Promise<string> {
  const java = env["JAVA_HOME"] ? join(env["JAVA_HOME"], "bin", "java") : "java";
  const install = `install a Java of version ${javaMajorMin} or later (Debian: apt install openjdk-17-jre-headless), or set KAFKA_BROKERS to a Kafka that already runs.`;
  const printed = await capture(java, ["-version"], { stop, absent: `Java is missing: ${install}` });
  const major = javaMajor(printed);
  if (major === undefined || major < javaMajorMin) {
    throw new Error(`This Java (${major ?? "of unknown version"}) is too old for the broker: ${install}`);
  }
  return java;
}

/** From what `java -version` prints: `openjdk version "17.0.15" …`, once `java version "1.8.0_392"`. */
export function javaMajor(printed: string): number | undefined {
  const [, first, second] = /version "(\d+)(?:\.(\d+))?/.exec(printed) ?? [];
  if (first === undefined) return undefined;
  return first === "1" && second !== undefined ? Number(second) : Number(first);
}
