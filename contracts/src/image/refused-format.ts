import { heifBrands, imageFormatNames } from "./format.ts";

/**
 * Returns a sentence about an image of a format that the service does not accept: what it is, if its first
 * bytes say so, and what is accepted. `label` names the input. Never repeats bytes of the image.
 */
export function refusedFormatDetail(image: Uint8Array, label: string): string {
  const name = refusedFormat(image);
  if (name === undefined) return `The image in ${label} is not ${imageFormatNames}.`;
  if (name === "HTML") return `What is in ${label} is a page in HTML: send the image itself.`;
  const isHeic = name === "HEIC";
  const advice = isHeic ? `Convert it to JPEG: ${heicAdvice}` : `Convert it to ${imageFormatNames}.`;
  return `The image in ${label} is ${name}, which is not accepted. ${advice}`;
}

/** How people get a JPEG from a HEIC. */
const heicAdvice =
  'with "sips -s format jpeg photo.heic --out photo.jpg" on macOS, with "heif-convert photo.heic photo.jpg" of ' +
  "libheif elsewhere. An iPhone takes JPEGs after Settings > Camera > Formats > Most Compatible.";

/** The name of a known format that is not accepted, by its first bytes. */
function refusedFormat(image: Uint8Array): string | undefined {
  const [major, ...brands] = heifBrands(image);
  if (major === "avis") return "an AVIF sequence";
  // HEIC, HEIX, HEVC and the like; mif1 and msf1 say only that a file is HEIF.
  if (major !== undefined && [major, ...brands].some((brand) => /^(he[iv]|mif1|msf1)/.test(brand)))
    return "HEIC";
  const start = Buffer.from(image.subarray(0, signatureBytesMax)).toString("latin1");
  return signatures.find(([, signature]) => signature.test(start))?.[0];
}

/** Patterns of latin1 text. A BMP has the size of its second header too: "BM" alone begins many texts. */
const signatures: readonly (readonly [string, RegExp])[] = [
  ["GIF", /^GIF8[79]a/],
  ["BMP", /^BM[\s\S]{12}[\f(48@l|]\0\0\0/],
  ["TIFF", /^(II[*+]\0|MM\0[*+])/],
  ["JPEG XL", /^(ÿ\n|\0\0\0\fJXL )/],
  ["JPEG 2000", /^\0\0\0\fjP {2}/],
  ["PDF", /^%PDF-/],
  ["SVG", /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/],
  ["HTML", /^\s*<(!doctype html|html)[\s>]/i],
];

const signatureBytesMax = 256;
