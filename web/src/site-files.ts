import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import sharp from "sharp";
import { type Content, compress, uncompressed } from "./content.ts";

/** Addresses at which browsers and search engines look by themselves. */
export const siteFilePaths = ["/favicon.ico", "/apple-touch-icon.png", "/robots.txt"] as const;

/** Returns the files of these addresses. Crawlers leave the tester's endpoints to its own page. */
export async function makeSiteFiles(): Promise<Map<string, Content>> {
  const rules = Buffer.from("User-agent: *\nDisallow: /tester/\n");
  const files: [SiteFilePath, Content | Promise<Content>][] = [
    ["/favicon.ico", makeIcon(faviconPx)],
    ["/apple-touch-icon.png", makeIcon(touchIconPx)],
    ["/robots.txt", compress("text/plain; charset=utf-8", rules)],
  ];
  return new Map(await Promise.all(files.map(async ([path, file]) => [path, await file] as const)));
}

/** Icon as PNG, which browsers take under the name favicon.ico too; iOS takes no SVG. */
async function makeIcon(px: number): Promise<Content> {
  const svg = await readFile(createRequire(import.meta.url).resolve("@faceline/runtime/design/icon.svg"));
  const density = (72 * px) / iconViewBoxPx;
  return uncompressed("image/png", await sharp(svg, { density }).resize(px, px).png().toBuffer());
}

type SiteFilePath = (typeof siteFilePaths)[number];

const faviconPx = 48;
const touchIconPx = 180;
const iconViewBoxPx = 32;
