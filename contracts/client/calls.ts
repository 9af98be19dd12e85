import type * as z from "zod";
import type { Candidate, CompareRequest } from "../src/http/compare.ts";
import type { RepresentRequest } from "../src/http/represent.ts";
import type { VerifyRequest } from "../src/http/verify.ts";

/** What the schemas take, with the defaults left out, and with Blobs where bytes may be. */
export type VerifyCall = WithBlobs<z.input<(typeof VerifyRequest)["out"]>>;
export type RepresentCall = WithBlobs<z.input<(typeof RepresentRequest)["out"]>>;
export type CompareCall = WithBlobs<
  Omit<z.input<(typeof CompareRequest)["out"]>, "candidates"> & { candidates: Candidate[] }
>;

type WithBlobs<Given> = Given extends Uint8Array
  ? Uint8Array | Blob
  : Given extends number[]
    ? number[]
    : Given extends (infer Item)[]
      ? WithBlobs<Item>[]
      : Given extends object
        ? { [Field in keyof Given]: WithBlobs<Given[Field]> }
        : Given;
