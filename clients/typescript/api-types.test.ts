import { test } from "node:test";
import type * as z from "zod";
import type * as capabilities from "@faceline/contracts/http/capabilities";
import type * as compare from "@faceline/contracts/http/compare";
import type * as errors from "@faceline/contracts/http/errors";
import type * as health from "@faceline/contracts/http/health";
import type * as problem from "@faceline/contracts/http/problem";
import type * as represent from "@faceline/contracts/http/represent";
import type * as verify from "@faceline/contracts/http/verify";
import type * as api from "./api-types.ts";

// The type checker is the test: where a type and its schema differ, `true` does not satisfy `false`.
test("the client's plain types are those of the service's schemas", () => {
  const _requests = {
    verify: true satisfies Equal<api.VerifyRequest, Sent<Input<typeof verify.VerifyRequest>>>,
    represent: true satisfies Equal<api.RepresentRequest, Sent<Input<typeof represent.RepresentRequest>>>,
    compare: true satisfies Equal<
      Omit<api.CompareRequest, "candidates">,
      Omit<Sent<Input<typeof compare.CompareRequest>>, "candidates">
    >,
    candidate: true satisfies Equal<api.Candidate, Sent<compare.Candidate>>,
  };
  const _replies = {
    verify: true satisfies Equal<api.VerifyResponse, verify.VerifyResponse>,
    represent: true satisfies Equal<api.RepresentResponse, represent.RepresentResponse>,
    compare: true satisfies Equal<api.CompareResponse, compare.CompareResponse>,
    capabilities: true satisfies Equal<api.CapabilitiesResponse, capabilities.CapabilitiesResponse>,
    health: true satisfies Equal<api.HealthResponse, health.HealthResponse>,
    problem: true satisfies Equal<api.Problem, problem.Problem>,
    code: true satisfies Equal<api.ErrorCode, errors.ErrorCode>,
  };
});

type Input<Schema extends { out: z.ZodType }> = z.input<Schema["out"]>;

/**
 * Two generic functions are of one type only where their conditions are identical; assignability would allow
 * more.
 */
type Equal<One, Other> =
  (<T>(value: T) => T extends Plain<One> ? 1 : 2) extends <T>(value: T) => T extends Plain<Other> ? 1 : 2
    ? true
    : false;

/** Drops zod's brands, and writes an intersection of objects as one object. */
type Plain<T> = T extends string & z.core.$brand
  ? string
  : T extends string | number | boolean | null | undefined | Uint8Array | Blob
    ? T
    : { [Field in keyof T]: Plain<T[Field]> };

/**
 * Type that a TypeScript caller sends: Blobs where bytes may be, and flags as booleans, not as words.
 */
type Sent<T> = T extends Uint8Array
  ? Uint8Array | Blob
  : T extends string | number | boolean | null | undefined
    ? T
    : { [Field in keyof T]: true extends T[Field] ? Exclude<T[Field], string> : Sent<T[Field]> };
