import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { refusalOf } from "./address.ts";
import { type DownloadOptions, download, downloadLimits } from "./download.ts";
import { httpGet } from "./http-get.ts";
import type { PinnedWheel } from "./wheel.ts";

/**
 * Fetches a wheel over HTTPS, for machines without pip, from the package index that pip would ask. The page
 * of a package there has a link to each of its files (PEP 503). Throws one sentence.
 */
export async function fetchFromIndex(
  { name, file, bytes, sha256 }: PinnedWheel,
  options: DownloadOptions,
): Promise<void> {
  const { stop, limits = downloadLimits } = options;
  const page = new URL(`${indexAddress().replace(/\/+$/, "")}/${name}/`);
  const { response, url } = await httpGet(page, { accept: "text/html" }, { ...limits, stop });
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(refusalOf(url, response.statusCode!));
  }
  let html = "";
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) {
    html += chunk;
    if (html.length > pageCharactersMax) throw new Error(`The page of ${name} at ${url.host} is too long.`);
  }
  const link = [...html.matchAll(/href="([^"#]+)/g)].find(([, href]) => href!.endsWith(`/${file}`))?.[1];
  if (link === undefined) throw new Error(`${url.host} has no ${file}: PIP_INDEX_URL names another index.`);
  await download({ url: new URL(link, url).href, sha256, bytes }, options);
}

const pageCharactersMax = 2_000_000;

/** The index that pip is configured to use: by PIP_INDEX_URL, or a file of the user's or of the machine's. */
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

/** The text of a settings file, by its path from the user's folder; empty if there is none. */
export function readSettings(path: string): string {
  try {
    return readFileSync(path.startsWith("/") ? path : join(homedir(), path), "utf8");
  } catch {
    return "";
  }
}
