import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { downloadLimits } from "./download.ts";
import { fetchFromIndex } from "./index-wheel.ts";
import { downloadBy, type FetchOptions, type ProgramFault } from "./program-download.ts";
import type { PinnedWheel } from "./wheel.ts";

/**
 * Fetches a wheel into `folder`, without the packages that it depends on, and returns its path. pip fetches
 * it if it can, because only pip has what a user may have set: credentials, proxies, certificates; else it
 * comes over HTTPS. Its SHA-256 is checked either way. Throws one sentence, which ends with `alternative` if
 * pip has no network.
 */
export async function fetchWheel(
  folder: string,
  wheel: PinnedWheel,
  options: FetchOptions & { alternative: string },
): Promise<string> {
  const { progress, stop, limits } = options;
  const path = join(folder, wheel.file);
  const fault = await fetchByPip(folder, wheel, options).catch((error: Error) => error);
  stop.throwIfAborted();
  if (fault === undefined && existsSync(path)) return path;
  try {
    await fetchFromIndex(wheel, { path, progress, stop, limits });
    return path;
  } catch (error) {
    stop.throwIfAborted();
    throw isPipAbsent(fault?.cause as ProgramFault | undefined) ? error : (fault ?? error);
  }
}

async function fetchByPip(
  folder: string,
  wheel: PinnedWheel,
  { progress, stop, alternative, limits = downloadLimits }: FetchOptions & { alternative: string },
): Promise<undefined> {
  const requirements = join(folder, "requirements.txt");
  await writeFile(requirements, `${wheel.name}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
  await downloadBy(["python3", "-m", "pip", ...downloadArguments(folder, requirements, wheel)], {
    folder,
    sender: "The package index",
    expected: { what: `wheel ${wheel.file}`, bytes: wheel.bytes },
    bytesMax: wheelBytesMax(wheel),
    progress,
    stop,
    limits,
    sentenceOf: (fault) => sentenceOf(fault, wheel, alternative),
    // pip unpacks nothing, but it writes a download there first.
    env: { ...process.env, TMPDIR: folder, LC_ALL: "C" },
  });
  return undefined;
}

export const takenFromFolder = "--from FOLDER takes wheels that were fetched on another machine";

/** Free disk space that is needed. pip moves the wheel into its place once it is complete. */
export const wheelBytesMax = ({ bytes }: Pick<PinnedWheel, "bytes">): number => 2 * bytes + slackBytes;

/** Upper bound for what the index sends about a package. */
const slackBytes = 64_000_000;

/** The tags in a wheel's name say which interpreter it is for, not necessarily the one that runs pip. */
function downloadArguments(folder: string, requirements: string, { file }: PinnedWheel): string[] {
  const [abi = "", platforms = ""] = file.slice(0, -".whl".length).split("-").slice(-2);
  return [
    "download",
    `--requirement=${requirements}`,
    "--require-hashes",
    "--no-deps",
    "--only-binary=:all:",
    "--implementation=cp",
    "--python-version=3.12",
    `--abi=${abi}`,
    ...platforms.split(".").map((platform) => `--platform=${platform}`),
    `--dest=${folder}`,
    "--no-cache-dir",
    "--no-input",
    "--disable-pip-version-check",
    "--progress-bar=off",
    "--retries=2",
  ];
}

/** A Mac without developer tools has a python3 that only asks to install them. */
const isPipAbsent = ({ code, stderr = "" }: ProgramFault = {}): boolean =>
  code === "ENOENT" || /No module named pip|xcode-select/.test(stderr);

function sentenceOf(
  { stderr = "" }: ProgramFault,
  { name, version }: PinnedWheel,
  alternative: string,
): string {
  if (stderr.includes("DO NOT MATCH THE HASHES")) {
    return `The package index has a different ${name} ${version} than the one whose SHA-256 is pinned.`;
  }
  if (/No space left on device|Errno 28/.test(stderr)) return "The disk is full.";
  // Before the next check, because pip then also says that it found no version.
  if (/Retrying \(|Max retries exceeded|Connection broken|Read timed out|SSLError/.test(stderr)) {
    return (
      "pip cannot reach the package index: check the network, the proxy and " +
      `"python3 -m pip config list"; ${alternative}.`
    );
  }
  if (stderr.includes("No matching distribution")) {
    return `pip's index has no ${name} ${version} for this platform; "python3 -m pip config list" shows which it is.`;
  }
  return `pip cannot fetch ${name} ${version}; "python3 -m pip download --no-deps ${name}==${version}" shows why.`;
}
