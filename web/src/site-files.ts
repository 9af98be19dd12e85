import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import sharp from "sharp";
import { type Content, compress, uncompressed } from "./content.ts";
import type { Facts } from "./facts.ts";

/** Addresses at which browsers and search engines look by themselves. */
export const siteFilePaths = [
  "/favicon.ico",
  "/apple-touch-icon.png",
  "/robots.txt",
  "/sitemap.xml",
] as const;

/**
 * Returns the files of these addresses. Without PUBLIC_URL there is no sitemap, whose addresses must be
 * absolute.
 */
export async function makeSiteFiles(facts: Facts, pages: { path: string }[]): Promise<Map<string, Content>> {
  const files: [SiteFilePath, Content | Promise<Content>][] = [
    ["/favicon.ico", makeIcon(faviconPx)],
    ["/apple-touch-icon.png", makeIcon(touchIconPx)],
    ["/robots.txt", compress("text/plain; charset=utf-8", Buffer.from(robotsText(facts)))],
  ];
  if (facts.publicUrl !== "") {
    const addresses = pages.map(({ path }) => facts.publicUrl + path);
    files.push(["/sitemap.xml", compress("application/xml", Buffer.from(sitemapText(addresses)))]);
  }
  return new Map(await Promise.all(files.map(async ([path, file]) => [path, await file] as const)));
}

/** Icon as PNG, which browsers take under the name favicon.ico too; iOS takes no SVG. */
async function makeIcon(px: number): Promise<Content> {
  const svg = await readFile(createRequire(import.meta.url).resolve("@faceline/runtime/design/icon.svg"));
  const density = (72 * px) / iconViewBoxPx;
  return uncompressed("image/png", await sharp(svg, { density }).resize(px, px).png().toBuffer());
}

/** Rules for crawlers: the tester's endpoints are for its own page. */
function robotsText({ publicUrl }: Facts): string {
  const rules = "User-agent: *\nDisallow: /tester/\n";
  return publicUrl === "" ? rules : `${rules}\nSitemap: ${publicUrl}/sitemap.xml\n`;
}

function sitemapText(addresses: string[]): string {
  const urls = addresses.map((address) => `<url><loc>${address.replaceAll("&", "&amp;")}</loc></url>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join("")}</urlset>
`;
}

type SiteFilePath = (typeof siteFilePaths)[number];

const faviconPx = 48;
const touchIconPx = 180;
const iconViewBoxPx = 32;
