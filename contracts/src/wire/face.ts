import * as z from "zod";
import { FacialArea } from "../http/facial-area.ts";
import { FaceQuality } from "../http/quality.ts";

/** A face with its embedding, as a worker sends it to the ingress. */
export const Face = z.object({
  /** The ingress adds `face_found`: it follows from the confidence. */
  area: FacialArea.omit({ face_found: true }),
  /** Score of the detector, 0 to 1; 0 when the whole image was taken as the face. */
  confidence: z.number().min(0).max(1),
  /**
   * Base64 of `embedding_size` float32 numbers, little-endian: a quarter of the size of JSON numbers.
   */
  embedding: z.base64(),
  /** Absent without landmarks. */
  quality: FaceQuality.optional(),
});
export type Face = z.infer<typeof Face>;

/** Returns the bytes of an embedding as Base64. */
export function encodeEmbedding(embedding: Float32Array): string {
  return Buffer.from(embedding.buffer, embedding.byteOffset, embedding.byteLength).toString("base64");
}

/**
 * Returns the embedding in `base64`. Copies the bytes, because Float32Array needs an offset that is a
 * multiple of 4, and a slice of Node's buffer pool may have another. Throws a RangeError if the length is no
 * multiple of 4.
 */
export function decodeEmbedding(base64: string): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.from(base64, "base64")).buffer);
}
