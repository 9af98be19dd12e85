import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { isDiskFull, requireRoom, sentenceOnDisk } from "../disk-room.ts";
import { megabytes } from "../megabytes.ts";
import { sha256OfFile } from "../model-file.ts";
import { failureOf, refusalOf } from "./address.ts";
import { httpGet } from "./http-get.ts";
import { PartFile } from "./part-file.ts";

/**
 * Fetches a file to a part file in `folder`, and returns it once it has the SHA-256. A download that was cut
 * off goes on where it ended, if the server still has the same file; else it starts again. Never more is
 * written than was declared, nor than `bytesMax`. Throws one sentence; what has come stays for the next try,
 * unless it is wrong.
 */
export async function download(
  wanted: WantedFile,
  { folder, bytesMax, progress, stop, limits = downloadLimits }: DownloadOptions,
): Promise<PartFile> {
  const part = await PartFile.open(folder, wanted.sha256);
  const deadline = AbortSignal.timeout(limits.downloadMaxMs);
  try {
    if (!(await isWhole(part, wanted))) {
      await fetchTo(part, wanted, {
        folder,
        bytesMax: Math.min(bytesMax, wanted.bytes ?? bytesMax),
        progress,
        stop: AbortSignal.any([stop, deadline]),
        limits,
      });
    }
  } catch (cause) {
    const kept = (await part.validator(wanted.url)) === undefined ? 0 : await part.bytes();
    throw new Error(sentenceOf(cause as NodeJS.ErrnoException, { folder, deadline, limits, kept }), {
      cause,
    });
  }
  if (await isWhole(part, wanted)) return part;
  await part.remove();
  throw new Error(
    `${new URL(wanted.url).host} sends another file than the one that is wanted: its SHA-256 is another.`,
  );
}

const isWhole = async ({ path }: PartFile, { sha256 }: WantedFile): Promise<boolean> =>
  existsSync(path) && (await sha256OfFile(path)) === sha256;

async function fetchTo(
  part: PartFile,
  wanted: WantedFile,
  options: Required<DownloadOptions>,
): Promise<void> {
  const { folder, bytesMax, progress, stop, limits } = options;
  const address = new URL(wanted.url);
  const get = (headers: Record<string, string>) =>
    httpGet(address, headers, { stop, stallMaxMs: limits.stallMaxMs });
  const validator = await part.validator(wanted.url);
  let offset = validator === undefined ? 0 : await part.bytes();
  let { response, url } = await get(
    offset === 0 || validator === undefined ? {} : { range: `bytes=${offset}-`, "if-range": validator },
  );
  // The server has another file, does not know ranges, or answers another range: from the beginning.
  if (response.statusCode === 416 || (response.statusCode === 206 && !startsAt(response, offset))) {
    response.destroy();
    ({ response, url } = await get({}));
  }
  if (response.statusCode !== 200 && response.statusCode !== 206) {
    response.destroy();
    throw new Error(refusalOf(url, response.statusCode!));
  }
  if (response.statusCode === 200) offset = 0;
  const declared = Number(response.headers["content-length"]);
  const total = Number.isSafeInteger(declared) ? offset + declared : undefined;
  const most = total ?? bytesMax;
  try {
    requireSize(url, total, wanted.bytes, bytesMax);
    await requireRoom(folder, most - offset);
    if (offset === 0) await part.begin(wanted.url, validatorOf(response));
    await using file = await open(part.path, "a", 0o600);
    let received = offset;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > most) throw new TooLarge(url, most);
      await file.writeFile(chunk);
      progress(received, most);
    }
    stop.throwIfAborted();
    if (total !== undefined && received < total) throw new Error(`The connection to ${url.host} was lost.`);
  } catch (cause) {
    response.destroy();
    if (cause instanceof TooLarge) await part.remove();
    stop.throwIfAborted();
    if (isDiskFull(cause)) throw cause;
    throw new Error(failureOf(url, cause as NodeJS.ErrnoException), { cause });
  }
}

/** The server sends more than it may: what came is of no use. */
class TooLarge extends Error {
  constructor({ host }: URL, bytesMax: number) {
    super(`${host} sends more than the ${megabytes(bytesMax)} that the file may have.`);
  }
}

function requireSize(url: URL, total: number | undefined, expected: number | undefined, max: number): void {
  if (total === undefined) return;
  if (expected !== undefined && total !== expected) {
    throw new Error(`${url.host} has a file of ${total} bytes, and the one that is wanted has ${expected}.`);
  }
  if (total > max) {
    throw new Error(
      `The file of ${url.host} has ${megabytes(total)}, more than ${megabytes(max)}: --max-megabytes allows more.`,
    );
  }
}

/** A strong ETag, or a date. A weak ETag does not say that the bytes are the same. */
function validatorOf({ headers }: IncomingMessage): string | undefined {
  const { etag, "last-modified": date } = headers;
  return etag !== undefined && !etag.startsWith("W/") ? etag : date;
}

function startsAt({ headers }: IncomingMessage, offset: number): boolean {
  return headers["content-range"]?.startsWith(`bytes ${offset}-`) === true;
}

function sentenceOf(
  cause: NodeJS.ErrnoException,
  {
    folder,
    deadline,
    limits,
    kept,
  }: { folder: string; deadline: AbortSignal; limits: DownloadLimits; kept: number },
): string {
  const sentence = deadline.aborted
    ? `The download takes longer than ${limits.downloadMaxMs / 60_000} minutes.`
    : sentenceOnDisk(cause, folder);
  return kept === 0
    ? sentence
    : `${sentence} ${megabytes(kept)} are kept, and the next try resumes from there.`;
}

/** Limits of a download, also by npm or pip. Tests lower them. */
export const downloadLimits = {
  /** Longest time without another byte. */
  stallMaxMs: 60_000,
  downloadMaxMs: 3_600_000,
};
export type DownloadLimits = typeof downloadLimits;

export type WantedFile = {
  url: string;
  sha256: string;
  /** Undefined where nobody has stated it. */
  bytes?: number | undefined;
};

export type DownloadOptions = Pick<PullOptions, "progress" | "stop"> & {
  /** Folder of the parts. */
  folder: string;
  bytesMax: number;
  limits?: DownloadLimits;
};

/** Options of every pull, of models and of CUDA libraries. */
export type PullOptions = {
  print: (line: string) => void;
  /** Is called with the bytes of a file that have come so far, and all of them. */
  progress: (bytes: number, of: number) => unknown;
  stop: AbortSignal;
  /** A folder that has the files: then nothing is fetched from the network. */
  from?: string | undefined;
  limits?: DownloadLimits | undefined;
};
