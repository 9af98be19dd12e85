import { heifBrands, imageFormatNames } from "./format.ts";

/**
 * Returns a sentence about an image of a format that the service does not accept: what it is, if its first
 * bytes say so, and what is accepted. `label` names the input. Never repeats bytes of the image.
 */
export function refusedFormatDetail(image: Buffer, label: string): string {
  const name = refusedFormat(image);
  if (name === undefined) return `The image in ${label} is not ${imageFormatNames}.`;
  if (name === "HTML") return `What is in ${label} is a page in HTML: send the image itself.`;
  return refusedKindDetail(name, label);
}

/** The same sentence for a format or kind of this name. */
export function refusedKindDetail(name: string, label: string): string {
  const isHeic = name === "HEIC";
  const advice = isHeic ? `Convert it to JPEG: ${heicAdvice}` : `Convert it to ${imageFormatNames}.`;
  return `The image in ${label} is ${name}, which is not accepted. ${advice}`;
}

/** How people get a JPEG from a HEIC. */
const heicAdvice =
  'with "sips -s format jpeg photo.heic --out photo.jpg" on macOS, with "heif-convert photo.heic photo.jpg" of ' +
  "libheif elsewhere. An iPhone takes JPEGs after Settings > Camera > Formats > Most Compatible.";

/** The name of a known format that is not accepted, by its first bytes. */
function refusedFormat(image: Buffer): string | undefined {
  const [major, ...brands] = heifBrands(image);
  if (major === "avis") return "an AVIF sequence";
  // HEIC, HEIX, HEVC and the like; mif1 and msf1 say only that a file is HEIF.
  if (major !== undefined && [major, ...brands].some((brand) => /^(he[iv]|mif1|msf1)/.test(brand)))
    return "HEIC";
  if (major !== undefined) return major === "crx " ? "a raw photograph" : "a video";
  const start = image.toString("latin1", 0, signatureBytesMax);
  return signatures.find(([, signature]) => signature.test(start))?.[0];
}

/** Patterns of latin1 text. A BMP has the size of its second header too: "BM" alone begins many texts. */
const signatures: readonly (readonly [string, RegExp])[] = [
  ["GIF", /^GIF8[79]a/],
  ["BMP", /^BM[\s\S]{12}[\f(48@l|]\0\0\0/],
  ["ICO", /^\0\0[\x01\x02]\0[^\0]\0/],
  ["a raw photograph", /^(II[*]\0[^]{4}CR|IIRO|IIU\0|FUJIFILM|\0MRM|FOVb)/],
  ["TIFF", /^(II[*+]\0|MM\0[*+])/],
  ["JPEG XR", /^II\xbc/],
  ["Photoshop", /^8BPS/],
  ["GIMP's XCF", /^gimp xcf/],
  ["PostScript", /^(%!PS|\xc5\xd0\xd3\xc6)/],
  ["DICOM", /^[^]{128}DICM/],
  ["OpenEXR", /^v\/1\x01/],
  ["PNM", /^P[1-7]\s/],
  ["QOI", /^qoif/],
  ["a video", /^(\x1aE\xdf\xa3|RIFF[^]{4}AVI )/],
  ["a ZIP file", /^PK\x03\x04/],
  ["JPEG XL", /^(ÿ\n|\0\0\0\fJXL )/],
  ["JPEG 2000", /^(\0\0\0\fjP {2}|ÿOÿQ)/],
  ["PDF", /^%PDF-/],
  ["SVG", /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/],
  ["HTML", /^\s*<(!doctype html|html)[\s>]/i],
];

const signatureBytesMax = 256;
