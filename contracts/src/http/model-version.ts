import * as z from "zod";

/**
 * Names the weights and the alignment that a model's embeddings depend on. It stays the same over precisions
 * and engines, so stored vectors stay comparable while it does.
 */
export const ModelVersion = z.string().regex(/^[0-9a-f]{12}$/);

/** Precision of the computation. Embeddings of one model version may be compared over precisions. */
export const Precision = z.enum(["float32", "int8"]);
