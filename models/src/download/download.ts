import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { isDiskFull, sentenceOnDisk } from "../disk-room.ts";
import { megabytes } from "../megabytes.ts";
import { sha256OfFile } from "../model-file.ts";
import { failureOf, refusalOf } from "./address.ts";
import { httpGet } from "./http-get.ts";

/**
 * Fetches a file to `path`, where it appears only if it has the SHA-256. Never writes more than the stated
 * bytes. Throws one sentence.
 */
export async function download(
  wanted: WantedFile,
  { path, progress, stop, limits = downloadLimits }: DownloadOptions,
): Promise<void> {
  const { sha256, bytes } = wanted;
  const deadline = AbortSignal.timeout(limits.downloadMaxMs);
  let address = new URL(wanted.url);
  try {
    const signal = AbortSignal.any([stop, deadline]);
    const { response, url } = await httpGet(address, {}, { stop: signal, stallMaxMs: limits.stallMaxMs });
    address = url;
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(refusalOf(url, response.statusCode!));
    }
    let received = 0;
    const counted = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        received += chunk.length;
        if (received > bytes)
          throw new Error(`${url.host} sends more than the ${megabytes(bytes)} of the file.`);
        progress(received, bytes);
        yield chunk;
      }
    };
    await pipeline(response, counted, createWriteStream(path, { mode: 0o600 }), { signal });
    if ((await sha256OfFile(path)) === sha256) return;
    throw new Error(`${url.host} sent a different file: its SHA-256 does not match.`);
  } catch (cause) {
    await rm(path, { force: true });
    stop.throwIfAborted();
    if (deadline.aborted) {
      throw new Error(`The download takes longer than ${limits.downloadMaxMs / 60_000} minutes.`, { cause });
    }
    const fault = cause as NodeJS.ErrnoException;
    throw new Error(isDiskFull(fault) ? sentenceOnDisk(fault, path) : failureOf(address, fault), { cause });
  }
}

/** Limits of a download, also by npm or pip. Tests lower them. */
export const downloadLimits = {
  /** Longest time without another byte. */
  stallMaxMs: 60_000,
  downloadMaxMs: 3_600_000,
};
export type DownloadLimits = typeof downloadLimits;

export type WantedFile = { url: string; sha256: string; bytes: number };

export type DownloadOptions = Pick<PullOptions, "progress" | "stop" | "limits"> & { path: string };

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
