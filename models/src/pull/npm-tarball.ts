import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { TarballSource } from "../catalogue-source.ts";
import { downloadLimits } from "../download/download.ts";
import { downloadBy, type FetchOptions, type ProgramFault } from "../download/program-download.ts";

/**
 * Fetches the tarball of a package into `folder`, without the packages that it depends on, and returns its
 * path. npm fetches it, because only npm has what a user may have set: the registry of a scope, credentials,
 * proxies, certificates. Its cache is in `folder` too: so it does not stay, and the size of the folder shows
 * the progress. Throws one sentence.
 *
 * npm checks the tarball against the integrity that the registry states; the catalogue's is not checked here.
 */
export async function fetchNpmTarball(
  folder: string,
  source: TarballSource,
  { progress, stop, limits = downloadLimits }: FetchOptions,
): Promise<string> {
  const name = `${source.package}@${source.version}`;
  await downloadBy(["npm", ...packArguments(folder, name)], {
    folder,
    sender: "The registry",
    expected: { what: "tarball", bytes: source.bytes },
    bytesMax: fetchBytesMax(source.bytes),
    progress,
    stop,
    limits,
    sentenceOf: (fault) => sentenceOf(codeOf(fault), name),
    // The folder whose .npmrc belongs to this repository.
    cwd: resolve(import.meta.dirname, "../../.."),
  });
  const tarball = (await readdir(folder)).find((file) => file.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack wrote no tarball of ${name}.`);
  return join(folder, tarball);
}

/** Free disk space that is needed. The tarball is in npm's cache too. */
export const fetchBytesMax = (tarballBytes: number): number => 2 * tarballBytes + slackBytes;

/** Upper bound for what the registry sends about a package. */
const slackBytes = 8_000_000;

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
function codeOf({ code, stdout = "", stderr = "" }: ProgramFault): string {
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
      return `The tarball of ${name} does not match the checksum of the registry: it was changed in transit.`;
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
