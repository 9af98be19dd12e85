import { Trace } from "./trace.ts";

/**
 * Returns the same calls, of which one tenant sends this share, evenly over the trace. The other tenants keep
 * the rest of theirs.
 */
export function withTenantShare({ columns }: Trace, share: number): Trace {
  const tenant = new Uint32Array(new SharedArrayBuffer(4 * columns.tenant.length));
  for (const [call, each] of columns.tenant.entries()) {
    // Of n calls in a row it is the share of n, to within one.
    const isTaken = Math.floor((call + 1) * share) > Math.floor(call * share);
    tenant[call] = isTaken ? takerNumber : each;
  }
  return new Trace({ ...columns, tenant });
}

/** Tenants are numbered from 0, so no other one has this number. */
const takerNumber = 4_294_967_295;
