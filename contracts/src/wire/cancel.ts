import * as z from "zod";
import { CallId } from "./ids.ts";

/**
 * ingress → batcher: nobody waits for this call any more. What still waits is dropped, what was sent is not.
 */
export const Cancel = z.object({ call: CallId });
export type Cancel = z.infer<typeof Cancel>;
