import { Traceparent } from "@faceline/contracts/wire/ids";
import { randomBytes } from "../random.ts";

/** The span of this call: in the client's trace, or in a new one where it sent none that is usable. */
export function traceparentOf(given: string | string[] | undefined): string {
  const read = Traceparent.safeParse(given);
  const [, trace, parent, flags] = read.success ? read.data.split("-") : [];
  const usable = trace !== undefined && parent !== undefined && !allZero.test(trace) && !allZero.test(parent);
  return `00-${usable ? trace : randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-${usable ? flags : "01"}`;
}

/** The specification keeps ids of zeros for "none". */
const allZero = /^0+$/;
