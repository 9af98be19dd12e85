import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { download } from "@faceline/models/download/download";
import { readSettings } from "@faceline/models/download/index-wheel";
import { sha256OfFile } from "@faceline/models/model-file";
import { capture } from "./capture.ts";

/**
 * Fetches the pinned jars of a program into `folder`, unless it holds those of this very list: by Maven, or
 * from the repository that Maven would ask where there is none. Returns how they came. Throws a sentence when
 * a jar, fetched or present, is not the pinned one: Java would run it.
 */
export async function fetchJars(options: JarsOptions): Promise<string> {
  const { name, pins, folder } = options;
  const pom = join(pins, "pom.xml");
  const list = readFileSync(join(pins, "jars.sha256"), "utf8");
  const jars = readPins(list);
  const stampText = createHash("sha256").update(readFileSync(pom)).update(list).digest("hex");
  const stamp = join(folder, "complete");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === stampText) {
    await refuseOthers(name, folder, jars, "remove that folder, and the next start downloads them again");
    return "present";
  }

  // Into another folder first, so that an interrupted download never looks complete.
  const partial = `${folder}.${process.pid}`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    const byMaven = await copyByMaven(pom, partial, options);
    if (!byMaven) await copyFromRepository(jars, partial, options.stop);
    const advice = "remove those jars from Maven's own folder (~/.m2/repository), and start again";
    await refuseOthers(name, partial, jars, advice);
    writeFileSync(join(partial, "complete"), stampText);
    await rm(folder, { recursive: true, force: true });
    await rename(partial, folder);
    return `fetched ${byMaven ? "by Maven" : `from ${new URL(repositoryAddress()).host}`}`;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Returns false if there is no Maven. */
async function copyByMaven(pom: string, target: string, { name, stop }: JarsOptions): Promise<boolean> {
  // -C: Maven 3 only warns when what it downloads has not the checksum that the repository states.
  const args = ["-C", "-q", "-B", "-f", pom, "dependency:copy-dependencies"];
  const defines = ["-DincludeScope=runtime", `-DoutputDirectory=${target}`];
  const failed = `Maven could not fetch ${name}`;
  try {
    await capture("mvn", [...args, ...defines], { stop, failed });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

async function copyFromRepository(
  jars: readonly PinnedJar[],
  target: string,
  stop: AbortSignal,
): Promise<void> {
  const repository = repositoryAddress();
  await mkdir(target, { recursive: true });
  const waiting = jars.values();
  const fetchWaiting = async (): Promise<void> => {
    for (const { path, sha256 } of waiting) {
      const wanted = { url: `${repository}/${path}`, sha256, bytes: jarBytesMax };
      await download(wanted, { path: join(target, basename(path)), progress: () => {}, stop });
    }
  };
  await Promise.all(Array.from({ length: downloadsAtOnce }, fetchWaiting));
}

const downloadsAtOnce = 6;
const jarBytesMax = 200_000_000;

/** The address of Maven's central repository, or of the mirror that Maven's settings name for it. */
function repositoryAddress(): string {
  const settings = readSettings(".m2/settings.xml").replaceAll(/<!--.*?-->/gs, "");
  const mirrors = [...settings.matchAll(/<mirror>(.*?)<\/mirror>/gs)].map(([, mirror]) => mirror!);
  const mirror = mirrors.find((each) =>
    /<mirrorOf>\s*([^<]*,)?\s*(\*|external:\*|central)\s*[,<]/.test(each),
  );
  const address = /<url>\s*(.*?)\s*<\/url>/.exec(mirror ?? "")?.[1] ?? "https://repo.maven.apache.org/maven2";
  return address.replace(/\/+$/, "");
}

/** Reads lines as `sha256sum` prints them. */
const readPins = (list: string): PinnedJar[] =>
  Array.from(list.matchAll(/^(\w+)  (.+)$/gm), ([, sha256, path]) => ({ sha256: sha256!, path: path! }));

/**
 * Throws a sentence if a folder has not the pinned jars and those alone: Java loads every jar of a folder, so
 * one too many is wrong too.
 */
async function refuseOthers(name: string, folder: string, jars: readonly PinnedJar[], advice: string) {
  const pinned = new Map(jars.map(({ path, sha256 }) => [basename(path), sha256]));
  const present = (await readdir(folder)).filter((file) => file.toLowerCase().endsWith(".jar"));
  const faults = await Promise.all(
    [...new Set([...pinned.keys(), ...present])].toSorted().map(async (jar) => {
      if (!pinned.has(jar)) return [`unknown ${jar}`];
      if (!present.includes(jar)) return [`missing ${jar}`];
      return (await sha256OfFile(join(folder, jar))) === pinned.get(jar) ? [] : [`changed ${jar}`];
    }),
  );
  const [first, ...more] = faults.flat();
  if (first === undefined) return;
  const named = more.length === 0 ? first : `${first} and ${more.length} more`;
  throw new Error(
    `${name} is not started, because the jars in ${folder} are not the pinned ones (${named}): ${advice}.`,
  );
}

/** A jar by its path in a Maven repository. */
type PinnedJar = { path: string; sha256: string };

type JarsOptions = {
  /** Name of the program. */
  name: string;
  /** Folder with pom.xml, whose versions are pinned, and jars.sha256. */
  pins: string;
  folder: string;
  stop: AbortSignal;
};
