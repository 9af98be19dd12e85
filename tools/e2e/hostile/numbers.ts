import { type ExpectedEnd, type HostileCall, jsonBody, marker, textBody } from "./hostile-call.ts";

/** Invalid vectors, and more vectors than a call may have. */
export const numbers = (): HostileCall[] => [
  ...["1e400", "-1e400", "1e308", "9007199254740993"].map((n) => verify(`with ${n}`, n, "invalid_vector")),
  // What begins with no number is read as a list of references.
  ...["null", '"0.5"', "[1]", "{}"].map((n) => verify(`a list with ${n}`, n, "invalid_request")),
  ...["5e-324", "-0", "0.1e-400", "1e11"].map((number) => verify(`a vector with ${number}`, number, "ok")),
  ...[1, 127, 129, 4_096].map((length) => ({
    name: `a vector of ${length} numbers`,
    path: "/verify",
    body: jsonBody({ img1: ones(length), img2: ones(128) }),
    ends: "dimension_mismatch" as const,
  })),
  ...[4_097, 1_000_000].map((length) => ({
    name: `a vector of ${length} numbers`,
    path: "/verify",
    body: jsonBody({ img1: ones(length), img2: ones(128) }),
    ends: "invalid_vector" as const,
  })),
  compare("a candidate of a million numbers", [ones(1_000_000)], "invalid_vector"),
  compare("a million plain numbers", ones(1_000_000), "invalid_vector"),
  compare(
    "1,001 vectors",
    Array.from({ length: 1_001 }, () => ones(128)),
    "too_many_candidates",
  ),
  compare(
    "1,001 empty vectors",
    Array.from({ length: 1_001 }, () => []),
    "too_many_candidates",
  ),
  compare(
    "51 images",
    Array.from({ length: 51 }, () => marker),
    "too_many_candidates",
  ),
  compare(
    "1,001 texts",
    Array.from({ length: 1_001 }, () => marker),
    "too_many_candidates",
  ),
  compare(
    "100,000 texts",
    Array.from({ length: 100_000 }, () => ""),
    "too_many_candidates",
  ),
  compare(
    "1,000 vectors",
    Array.from({ length: 1_000 }, () => ones(128)),
    "ok",
  ),
  compare("candidates that are numbers, later", [ones(128), 5, true, null, marker], "ok"),
  compare("a candidate that is an object of nothing", [{}], "missing_image"),
  compare("a candidate with an id of an object", [{ id: { a: marker }, vector: ones(128) }], "ok"),
  compare("a candidate with a long id", [{ id: "x".repeat(100_000), vector: ones(128) }], "ok"),
];

const rest = Array.from({ length: 127 }, () => 1).join(",");
const ones = (length: number): number[] => Array.from({ length }, () => 1);

const verify = (name: string, first: string, ends: ExpectedEnd): HostileCall => ({
  name,
  path: "/verify",
  body: textBody(`{"model_name":"SFace","unread":"${marker}","img1":[${first},${rest}],"img2":[1,${rest}]}`),
  ends,
});
const compare = (name: string, candidates: unknown[], ends: ExpectedEnd): HostileCall => ({
  name,
  path: "/compare",
  body: jsonBody({ model_name: "SFace", vector: ones(128), candidates }),
  ends,
});
