import { readFile } from "node:fs/promises";
import { escapeXml } from "../plot/svg.ts";
import { readTypeface, tokensSheet } from "./style-sheet.ts";

/**
 * Returns a report as one HTML file that looks like the pages of the service: no scripts, nothing from
 * elsewhere. `main` is HTML.
 */
export async function reportPage(title: string, main: string): Promise<string> {
  const [typeface, report, icon] = await Promise.all([readTypeface(), read("report.css"), read("icon.svg")]);
  const font = typeface && `data:font/woff2;base64,${typeface.toString("base64")}`;
  const iconAddress = `data:image/svg+xml,${encodeURIComponent(icon)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)} · Faceline</title>
<link rel="icon" type="image/svg+xml" href="${iconAddress}">
<style>
${await tokensSheet(font)}${report}</style>
</head>
<body>
<header class="brand"><img src="${iconAddress}" alt="" width="28" height="28">Faceline</header>
<main>
<h1>${escapeXml(title)}</h1>
${main}
</main>
</body>
</html>
`;
}

const read = (file: string): Promise<string> => readFile(new URL(file, import.meta.url), "utf8");
