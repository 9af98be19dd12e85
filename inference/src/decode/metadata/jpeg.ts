import {
  jpegFrames,
  jpegMarkers,
  jpegSegmentsMax,
  walkJpegSegments,
} from "@faceline/contracts/image/jpeg-segments";
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
    // A length of less than two bytes is damage, which libraries report.
    if (end < payloadAt) return "stop";
    kept.cut(payloadAt - 4, Math.min(end, jpeg.length), isTurned ? exifSegment(orientation!) : undefined);
    return "continue";
  });
  return segments > jpegSegmentsMax ? undefined : { image: kept.end(), orientation: orientation ?? upright };
}

/**
 * A profile has no use but for four components. One that is longer than any in use is not read, nor one whose
 * pieces are not in their order, as encoders write them, nor one with tags of elements that are processed one
 * after the other: thousands may name the same table, and a library copies it for each and runs them all. A
 * file of 95 KB took 11 s so, and one of 460 KB 2.2 GB.
 */
function profileOf(jpeg: Buffer): "kept" | "cut" {
  let [bytes, pieces, components] = [0, 0, 0];
  let isPlain = true;
  walkJpegSegments(jpeg, "file", (marker, payloadAt, end) => {
    if (marker === jpegMarkers.startOfScan) return "stop";
    if (jpegFrames.has(marker)) components = jpeg[payloadAt + 5] ?? 0;
    if (marker !== jpegMarkers.app2 || !startsWith(jpeg, payloadAt, profileName)) return "continue";
    bytes += end - payloadAt;
    pieces++;
    if (jpeg[payloadAt + profileName.length] !== pieces) isPlain = false;
    if (pieces === 1) isPlain &&= hasPlainTags(jpeg.subarray(payloadAt + profileName.length + 2, end));
    return "continue";
  });
  return components === 4 && isPlain && bytes <= profileBytesMax ? "kept" : "cut";
}

/** Whether the first piece of a profile has the whole list of tags, without D2B0 to D2B3 (ICC.1 7.3, 9.2). */
function hasPlainTags(piece: Buffer): boolean {
  if (piece.length < tagsAt) return false;
  const end = tagsAt + tagBytes * piece.readUInt32BE(tagsAt - 4);
  if (end > piece.length) return false;
  for (let at = tagsAt; at < end; at += tagBytes) if (startsWith(piece, at, "D2B")) return false;
  return true;
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
/** Behind the header of a profile and the number of its tags. */
const tagsAt = 132;
const tagBytes = 12;
/** Profiles of printers have up to 3 MB. */
const profileBytesMax = 4 * 2 ** 20;
