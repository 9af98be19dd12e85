import * as z from "zod";
import { CallId } from "./ids.ts";

/**
 * ingress → batcher: the client no longer waits for this call. Its queued tasks are dropped; dispatched ones
 * still run.
 */
export const Cancel = z.object({ call: CallId });
export type Cancel = z.infer<typeof Cancel>;
