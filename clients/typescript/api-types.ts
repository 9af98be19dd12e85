// The bodies of the HTTP API, from the schemas that the service parses with. In the package, plain types with
// descriptions, made from the OpenAPI document, stand in their place: tools/commands/client-types.ts.
import type { Candidate, CompareRequest as CompareSchema } from "@faceline/contracts/http/compare";
import type { RepresentRequest as RepresentSchema } from "@faceline/contracts/http/represent";
import type { VerifyRequest as VerifySchema } from "@faceline/contracts/http/verify";
import type * as z from "zod";

export type { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
export type { CompareResponse } from "@faceline/contracts/http/compare";
export type { ErrorCode } from "@faceline/contracts/http/errors";
export type { HealthResponse } from "@faceline/contracts/http/health";
export type { Problem } from "@faceline/contracts/http/problem";
export type { RepresentResponse } from "@faceline/contracts/http/represent";
export type { VerifyResponse } from "@faceline/contracts/http/verify";

export type VerifyRequest = Sent<z.input<(typeof VerifySchema)["out"]>>;
export type RepresentRequest = Sent<z.input<(typeof RepresentSchema)["out"]>>;
export type CompareRequest = Omit<Sent<z.input<(typeof CompareSchema)["out"]>>, "candidates"> & {
  candidates: Sent<Candidate>[];
};

/** Type that a TypeScript caller sends: Blobs where bytes may be, and flags as booleans, not as words. */
type Sent<T> = T extends Uint8Array
  ? Uint8Array | Blob
  : T extends string | number | boolean | null | undefined
    ? T
    : { [Field in keyof T]: true extends T[Field] ? Exclude<T[Field], string> : Sent<T[Field]> };
