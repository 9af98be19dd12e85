import { downloadLimits, download, type DownloadOptions } from "./download.ts";
import { refusalOf } from "./address.ts";
import { httpGet } from "./http-get.ts";
import type { PartFile } from "./part-file.ts";
import type { Wheel } from "./wheel.ts";

/**
 * Fetches a wheel over HTTPS, for machines without pip: from the package index that PIP_INDEX_URL names, as
 * for pip, or else PyPI. The page of a package there has a link to each of its files (PEP 503). Throws one
 * sentence.
 */
export async function fetchFromIndex(
  { name, file, bytes, sha256 }: Wheel,
  options: Omit<DownloadOptions, "bytesMax">,
): Promise<PartFile> {
  const index = process.env["PIP_INDEX_URL"] || "https://pypi.org/simple";
  const { stop, limits = downloadLimits } = options;
  const page = new URL(`${index.replace(/\/$/, "")}/${name}/`);
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
  return download({ url: new URL(link, url).href, sha256, bytes }, { ...options, bytesMax: bytes });
}

const pageCharactersMax = 2_000_000;
