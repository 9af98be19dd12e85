import * as z from "zod";
import { FacialArea } from "../http/facial-area.ts";

/** A face with its embedding, as it travels from a worker to the ingress. */
export const Face = z.object({
  area: FacialArea,
  /** The detector's score, 0 to 1; 0 where the whole image was taken as the face. */
  confidence: z.number().min(0).max(1),
  /**
   * Base64 of float32, little-endian, `embedding_size` numbers: a quarter of their length as JSON numbers.
   */
  embedding: z.base64(),
});
export type Face = z.infer<typeof Face>;

export function encodeEmbedding(embedding: Float32Array): string {
  return Buffer.from(embedding.buffer, embedding.byteOffset, embedding.byteLength).toString("base64");
}

/** Copies: a slice of Node's buffer pool may start at an address that float32 cannot be read from. */
export function decodeEmbedding(base64: string): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.from(base64, "base64")).buffer);
}
