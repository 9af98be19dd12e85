import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { TarballSource } from "../catalogue-entry.ts";
import { watchFolder } from "../download/folder-watch.ts";

/**
 * Fetches the tarball of a package into `folder`, without the packages that it depends on, and returns its
 * path. npm fetches it, because npm alone has what a user may have set: the registry of a scope, credentials,
 * proxies, certificates. Its cache is in `folder` too: so it does not stay, and the size of the folder shows
 * the progress. Throws one sentence.
 *
 * npm checks the tarball against the integrity that the registry states; the catalogue's is not checked here.
 */
export async function fetchNpmTarball(
  folder: string,
  source: TarballSource,
  { progress, stop, limits = pullLimits }: FetchOptions,
): Promise<string> {
  const name = `${source.package}@${source.version}`;
  const overrun = new AbortController();
  const fetched = new AbortController();
  const watching = watchFolder(folder, {
    sender: "The registry",
    expected: { what: "tarball", bytes: source.bytes },
    bytesMax: fetchBytesMax(source.bytes, limits),
    progress,
    limits,
    done: fetched.signal,
  }).catch((fault: unknown) => overrun.abort(fault));
  const signal = AbortSignal.any([stop, overrun.signal]);
  try {
    await run("npm", packArguments(folder, name), {
      signal,
      killSignal: "SIGKILL",
      // The folder whose .npmrc belongs to this repository.
      cwd: resolve(import.meta.dirname, "../../.."),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(sentenceOf(codeOf(error), name), { cause: error });
  } finally {
    fetched.abort();
    await watching;
  }
  const tarball = (await readdir(folder)).find((file) => file.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack wrote no tarball of ${name}.`);
  return join(folder, tarball);
}

/** Limits of a pull. Tests lower them. */
export const pullLimits = {
  /** Beyond the tarball, once in npm's cache and once beside it: what the registry says of the package. */
  slackBytes: 8_000_000,
  /** Longest time without another byte. */
  stallMaxMs: 60_000,
  fetchMaxMs: 3_600_000,
};
export type PullLimits = typeof pullLimits;

/** Bytes that the disk must have room for. */
export const fetchBytesMax = (tarballBytes: number, { slackBytes }: PullLimits): number =>
  2 * tarballBytes + slackBytes;

const run = promisify(execFile);

const packArguments = (folder: string, name: string): string[] => [
  "pack",
  name,
  "--json",
  "--ignore-scripts",
  "--loglevel=error",
  `--pack-destination=${folder}`,
  `--cache=${join(folder, "npm-cache")}`,
  "--fetch-retries=2",
  "--fetch-retry-factor=2",
  "--fetch-retry-mintimeout=500",
];

/** npm's word for what went wrong, such as E404. */
function codeOf(error: unknown): string {
  const { code, stdout = "", stderr = "" } = error as NpmFault;
  if (code === "ENOENT") return "no npm";
  return (
    /"code": "(\w+)"/.exec(stdout)?.[1] ?? /npm error code (\w+)/.exec(stderr)?.[1] ?? `exit code ${code}`
  );
}

function sentenceOf(code: string, name: string): string {
  switch (code) {
    case "no npm":
      return "There is no npm on the PATH, which fetches the tarball.";
    case "E404":
    case "ETARGET":
    case "ENOVERSIONS":
      return `npm's registry has no ${name} (${code}); "npm config get registry" shows which one it is.`;
    case "E401":
    case "E403":
    case "ENEEDAUTH":
      return `npm's registry refuses ${name} (${code}); "npm login" signs in.`;
    case "EINTEGRITY":
      return `The tarball of ${name} is not the one that the registry states: it was changed on its way.`;
    case "ENOSPC":
      return "The disk is full.";
    default:
      if (unreachable.test(code)) {
        return `npm cannot reach its registry (${code}): check the network, the proxy and "npm config get registry".`;
      }
      return `npm cannot fetch ${name} (${code}); "npm pack ${name}" shows why.`;
  }
}

const unreachable =
  /^(ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|E(HOST|NET)UNREACH|ENOTCACHED|EPIPE|ERR_SOCKET_TIMEOUT|FETCH_ERROR)$/;

type NpmFault = { code?: string | number; stdout?: string; stderr?: string };

/** Is called with the bytes that have come so far. */
type Progress = (bytes: number) => void;

type FetchOptions = { progress: Progress; stop: AbortSignal; limits?: PullLimits };
