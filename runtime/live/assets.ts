import { readFile } from "node:fs/promises";
import { readTypeface, tokensSheet } from "../design/style-sheet.ts";
import { strictPageHeaders } from "../src/page-headers.ts";

/** Paths of what the page loads. */
export const assetPaths = ["/live/style.css", "/live/icon.svg", "/live/geist.woff2"] as const;

/** Returns what the page loads; undefined for a typeface that is not installed. */
export async function liveAsset(path: (typeof assetPaths)[number]): Promise<Asset | undefined> {
  switch (path) {
    case "/live/style.css": {
      const typeface = (await readTypeface()) && "geist.woff2";
      const sheets = [tokensSheet(typeface), read("live.css")];
      return asset("text/css; charset=utf-8", (await Promise.all(sheets)).join("\n"));
    }
    case "/live/icon.svg":
      return asset("image/svg+xml; charset=utf-8", await read("../design/icon.svg"));
    case "/live/geist.woff2": {
      const typeface = await readTypeface();
      return typeface && asset("font/woff2", typeface);
    }
  }
}

/** Headers of the page: nothing runs in it, and nothing comes from elsewhere. */
export const livePageHeaders = strictPageHeaders({
  "script-src": "'none'",
  "connect-src": "'none'",
  "font-src": "'self'",
  "img-src": "'self'",
  "form-action": "'none'",
});

const asset = (type: string, text: string | Buffer): Asset => ({
  type,
  text,
  // Not with every refresh of the page.
  headers: { "cache-control": "private, max-age=600" },
});

const read = (file: string): Promise<string> => readFile(new URL(file, import.meta.url), "utf8");

type Asset = { type: string; text: string | Buffer; headers: Record<string, string> };
