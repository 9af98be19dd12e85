import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { watchFolder } from "../download/folder-watch.ts";
import type { Wheel } from "./cuda-pins.ts";

/**
 * Fetches a wheel into `folder`, without the packages that it depends on, and returns its path. pip fetches
 * it, because pip alone has what a user may have set: a mirror of the index, credentials, proxies,
 * certificates. pip checks the SHA-256 itself. Throws one sentence.
 */
export async function fetchWheel(
  folder: string,
  wheel: Wheel,
  { progress, stop, limits = wheelLimits }: FetchOptions,
): Promise<string> {
  const requirements = join(folder, "requirements.txt");
  await writeFile(requirements, `${wheel.name}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
  const overrun = new AbortController();
  const fetched = new AbortController();
  const watching = watchFolder(folder, {
    sender: "The package index",
    expected: { what: `wheel ${wheel.file}`, bytes: wheel.bytes },
    bytesMax: wheelBytesMax(wheel, limits),
    progress,
    limits,
    done: fetched.signal,
  }).catch((fault: unknown) => overrun.abort(fault));
  const signal = AbortSignal.any([stop, overrun.signal]);
  try {
    await run("python3", ["-m", "pip", ...downloadArguments(folder, requirements, wheel)], {
      signal,
      killSignal: "SIGKILL",
      // pip unpacks nothing, but it writes a download there first.
      env: { ...process.env, TMPDIR: folder, LC_ALL: "C" },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(sentenceOf(error as PipFault, wheel), { cause: error });
  } finally {
    fetched.abort();
    await watching;
  }
  const path = join(folder, wheel.file);
  if (!existsSync(path)) throw new Error(`pip wrote no ${wheel.file}.`);
  return path;
}

/** Limits of a fetch. Tests lower them. */
export const wheelLimits = {
  /** Beyond the wheel, once as it comes and once in its place: what the index says of the package. */
  slackBytes: 64_000_000,
  /** Longest time without another byte. */
  stallMaxMs: 60_000,
  fetchMaxMs: 3_600_000,
};
export type WheelLimits = typeof wheelLimits;

/** Bytes that the disk must have room for. */
export const wheelBytesMax = ({ bytes }: Pick<Wheel, "bytes">, { slackBytes }: WheelLimits): number =>
  2 * bytes + slackBytes;

const run = promisify(execFile);

/** The tags in the name of a wheel say which interpreter it is for: not the one that runs pip here. */
function downloadArguments(folder: string, requirements: string, { file }: Wheel): string[] {
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

function sentenceOf({ code, stderr = "" }: PipFault, { name, version }: Wheel): string {
  const elsewhere = "--from FOLDER takes wheels that were fetched on another machine";
  if (code === "ENOENT")
    return `There is no python3 on the PATH, whose pip fetches the wheels; ${elsewhere}.`;
  if (stderr.includes("No module named pip")) {
    return `python3 has no pip, which fetches the wheels: install it (python3-pip, on Debian); ${elsewhere}.`;
  }
  if (stderr.includes("DO NOT MATCH THE HASHES")) {
    return `The package index has another ${name} ${version} than the one whose SHA-256 is pinned.`;
  }
  if (/No space left on device|Errno 28/.test(stderr)) return "The disk is full.";
  // Before the next: pip also says then that it found no version.
  if (/Retrying \(|Max retries exceeded|Connection broken|Read timed out|SSLError/.test(stderr)) {
    return (
      "pip cannot reach the package index: check the network, the proxy and " +
      `"python3 -m pip config list"; ${elsewhere}.`
    );
  }
  if (stderr.includes("No matching distribution")) {
    return `pip's index has no ${name} ${version} for this platform; "python3 -m pip config list" shows which it is.`;
  }
  return `pip cannot fetch ${name} ${version}; "python3 -m pip download --no-deps ${name}==${version}" shows why.`;
}

type PipFault = { code?: string | number; stderr?: string };

type FetchOptions = {
  /** Is called with the bytes that have come so far. */
  progress: (bytes: number) => void;
  stop: AbortSignal;
  limits?: WheelLimits;
};
