import type { FastifyRequest } from "fastify";
import type { CallSlot } from "./ports.ts";

// Types only.

/** Says who calls, by what comes before the body. Throws an ApiError. */
export type Identify = (request: FastifyRequest) => Promise<Caller>;

/** Who calls: a team, or a visitor of the public tester. */
export type Caller = {
  tenant: string;
  /** 0: not limited. */
  bodyBytesPerSecond: number;
  /** False: the body of a refused call is discarded at the pace of all callers without a key. */
  pacedWhenRefused: boolean;
  acquireSlot(): Promise<CallSlot>;
};
