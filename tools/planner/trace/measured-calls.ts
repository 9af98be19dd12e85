import * as z from "zod";

const Ms = z.number().nonnegative().finite();

/** Times that the ingresses measured of the answered calls of a recording, and the settings of the pool. */
export const MeasuredCalls = z.object({
  p50Ms: Ms,
  p99Ms: Ms,
  /** Quantiles of the time that a call spends in ingress and hops: outside queue, preparation and run. */
  serviceMs: z.array(Ms).min(2).max(101),
  /** Absent if no batcher was read. */
  settings: z
    .object({
      workers: z.number().int().min(1),
      batchMax: z.number().int().min(1),
      utilisationTarget: z.number().positive(),
    })
    .optional(),
});
export type MeasuredCalls = z.infer<typeof MeasuredCalls>;
