import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import sharp from "sharp";
import { type Content, compress, uncompressed } from "./content.ts";
import { originOf } from "./docs/highlight.ts";
import type { Facts } from "./facts.ts";

/** Addresses at which browsers, search engines and security researchers look by themselves. */
export const siteFilePaths = [
  "/favicon.ico",
  "/apple-touch-icon.png",
  "/robots.txt",
  "/.well-known/security.txt",
] as const;

/** Returns the files of these addresses. Crawlers leave the tester's endpoints to its own page. */
export async function makeSiteFiles(facts: Facts): Promise<Map<string, Content>> {
  const text = (lines: string[]) =>
    compress("text/plain; charset=utf-8", Buffer.from(`${lines.join("\n")}\n`));
  const expiresAt = new Date(Date.now() + securityTxtValidMs).toISOString();
  const files: [SiteFilePath, Content | Promise<Content>][] = [
    ["/favicon.ico", makeIcon(faviconPx)],
    ["/apple-touch-icon.png", makeIcon(touchIconPx)],
    ["/robots.txt", text(["User-agent: *", "Disallow: /tester/"])],
    [
      "/.well-known/security.txt",
      text([`Contact: ${originOf(facts)}/docs/security`, `Expires: ${expiresAt}`]),
    ],
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

/** RFC 9116 recommends less than a year. */
const securityTxtValidMs = 360 * 24 * 60 * 60 * 1_000;
const faviconPx = 48;
const touchIconPx = 180;
const iconViewBoxPx = 32;
