import { jpegFrames, jpegMarkers, jpegSegmentsMax, walkJpegSegments } from "../jpeg-segments.ts";
import { exifOrientation, orientationTiff, upright } from "./exif-orientation.ts";
import { KeptBytes, type PlainImage } from "./kept-bytes.ts";

/**
 * Cuts the segments of applications and comments before the first scan, but for those that say what the
 * components are (JFIF, Adobe) and, of four components, the colour profile. Libraries keep and copy each.
 * What is behind the first scan is read as it is decoded. Returns undefined for more segments before it than
 * any encoder writes. without-metadata.test.ts covers it.
 */
export function jpegWithoutMetadata(jpeg: Buffer): PlainImage | undefined {
  let profile: "kept" | "cut" | undefined;
  let segments = 0;
  const kept = new KeptBytes(jpeg);
  let orientation: number | undefined;
  walkJpegSegments(jpeg, "file", (marker, payloadAt, end) => {
    if (marker === jpegMarkers.startOfScan || ++segments > jpegSegmentsMax) return "stop";
    if (!isOfApplication(marker)) return "continue";
    const isExif = marker === jpegMarkers.app1 && startsWith(jpeg, payloadAt, "Exif");
    const isProfile = marker === jpegMarkers.app2 && startsWith(jpeg, payloadAt, profileName);
    if (isProfile) profile ??= profileOf(jpeg);
    if (isProfile ? profile === "kept" : saysColours(jpeg, marker, payloadAt)) return "continue";
    const isFirst = isExif && orientation === undefined;
    if (isFirst) orientation = exifOrientation(jpeg.subarray(payloadAt, end));
    const isTurned = isFirst && orientation !== undefined && orientation !== upright;
    // A length of less than two bytes is damage, of which a library tells.
    if (end < payloadAt) return "stop";
    kept.cut(payloadAt - 4, Math.min(end, jpeg.length), isTurned ? exifSegment(orientation!) : undefined);
    return "continue";
  });
  return segments > jpegSegmentsMax ? undefined : { image: kept.end(), orientation: orientation ?? upright };
}

/** A profile has no use but for four components. One that is longer than any in use is not read. */
function profileOf(jpeg: Buffer): "kept" | "cut" {
  let bytes = 0;
  let components = 0;
  walkJpegSegments(jpeg, "file", (marker, payloadAt, end) => {
    if (marker === jpegMarkers.startOfScan) return "stop";
    if (marker === jpegMarkers.app2) bytes += end - payloadAt;
    if (jpegFrames.has(marker)) components = jpeg[payloadAt + 5] ?? 0;
    return "continue";
  });
  return components === 4 && bytes <= profileBytesMax ? "kept" : "cut";
}

const isOfApplication = (marker: number): boolean =>
  (marker >= jpegMarkers.app0 && marker <= jpegMarkers.app15) || marker === jpegMarkers.comment;

const saysColours = (jpeg: Buffer, marker: number, at: number): boolean =>
  (marker === jpegMarkers.app0 && startsWith(jpeg, at, "JFIF\0")) ||
  (marker === jpegMarkers.app14 && startsWith(jpeg, at, "Adobe"));

const startsWith = (jpeg: Buffer, at: number, word: string): boolean =>
  jpeg.toString("latin1", at, at + word.length) === word;

function exifSegment(orientation: number): Buffer {
  const payload = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), orientationTiff(orientation)]);
  return Buffer.concat([Buffer.of(0xff, jpegMarkers.app1, 0, 2 + payload.length), payload]);
}

const profileName = "ICC_PROFILE\0";
/** Profiles of printers have up to 3 MB. */
const profileBytesMax = 4 * 2 ** 20;
