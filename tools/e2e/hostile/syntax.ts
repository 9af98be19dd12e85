import { type ExpectedEnd, type HostileCall, marker, textBody } from "./hostile-call.ts";

/** Invalid JSON, unusual JSON, and JSON that expands to many times its size. */
export const syntax = (): HostileCall[] => [
  ...truncated(),
  ...notJson.map(([name, body]) => call(name, body, "invalid_json")),
  ...nested(),
  ...doubled(),
];

const mib = 1024 * 1024;
const vector = JSON.stringify(Array.from({ length: 128 }, (_, i) => i));
const valid = `{"model_name":"SFace","unread":"${marker}","img1":${vector},"img2":${vector}}`;

function truncated(): HostileCall[] {
  const offsets = Array.from({ length: 30 }, (_, i) => Math.floor(((i + 1) * valid.length) / 31));
  return offsets.map((at) => call(`JSON cut off after ${at} bytes`, valid.slice(0, at), "invalid_json"));
}

const notJson: [name: string, body: string][] = [
  ["single quotes", `{'img1': '${marker}'}`],
  ["a comma too many", `{"img1": "${marker}",}`],
  ["a bare NaN", `{"img1": [NaN], "img2": "${marker}"}`],
  ["a raw null byte in a text", `{"img1": "\0${marker}"}`],
  ["a null byte after it", `{"img1": "${marker}"}\0`],
  ["a raw line end in a text", `{"img1": "${marker}\n"}`],
  ["a broken escape", `{"img1": "\\x41${marker}"}`],
  ["__proto__", `{"__proto__": {"img1": "${marker}"}}`],
  ["__proto__ in a candidate", `{"candidates": [{"__proto__": {"img": "${marker}"}}]}`],
  ["__proto__ in escapes", `{"\\u005f_proto__": {"img1": "${marker}"}}`],
];

const depth = 10_000;
const lists = (inner: string): string => "[".repeat(depth) + inner + "]".repeat(depth);
const objects = (inner: string): string => `{"a":`.repeat(depth) + inner + "}".repeat(depth);

function nested(): HostileCall[] {
  const fields = ["img1", "img2", "model_name", "threshold", "candidates", "vector", "nobody_knows_it"];
  const within = fields.flatMap((field) => [
    call(`${field}: lists ${depth} deep`, `{"${field}":${lists(`"${marker}"`)}}`, "invalid_request"),
    call(`${field}: objects ${depth} deep`, `{"${field}":${objects(`"${marker}"`)}}`, "invalid_request"),
  ]);
  return [
    ...within,
    call(`lists ${depth} deep`, lists(`"${marker}"`), "invalid_request"),
    call(`objects ${depth} deep`, objects(`"${marker}"`), "invalid_request"),
    // Never closed: the depth is exceeded before the end is reached.
    call("a million lists that open", "[".repeat(1_000_000), "invalid_request"),
  ];
}

/** Duplicate keys: the last one counts. */
const doubled = (): HostileCall[] => [
  call("a key twice, the last one good", `{"img1":"${marker}",${valid.slice(1)}`, "ok"),
  call("a key twice, the last one bad", `${valid.slice(0, -1)},"img1":{"a":"${marker}"}}`, "invalid_request"),
  call(
    "a key twice in a candidate",
    `{"model_name":"SFace","vector":${vector},"candidates":[{"vector":5,"vector":${vector}}]}`,
    "ok",
  ),
];

const zeros = (bytes: number) => () => Buffer.alloc(bytes);
const compare = { path: "/compare" };

/** Bodies of the largest allowed size, and larger ones. */
export const huge = (): HostileCall[] => [
  { ...compare, name: "32 MiB of null bytes", body: zeros(32 * mib), ends: "invalid_json" },
  {
    ...compare,
    name: "32 MiB of the digit 0 in a list",
    body: () => `{"unread":"${marker}","vector":[${"0,".repeat(16 * mib - 60)}0]}`,
    ends: "invalid_vector",
  },
  {
    ...compare,
    name: "32 MiB of empty lists",
    body: () => `{"unread":"${marker}","candidates":[${"[],".repeat(10.6 * mib)}[]]}`,
    ends: "too_many_candidates",
  },
  {
    ...compare,
    name: "32 MiB of empty objects in a field that nobody knows",
    body: () => `{"unread":"${marker}","nobody_knows_it":[${"{},".repeat(10.6 * mib)}{}]}`,
    ends: "invalid_request",
  },
  { ...compare, name: "32 MiB of quotes", body: () => '"'.repeat(32 * mib), ends: "invalid_request" },
  { ...compare, name: "a byte over the limit", body: zeros(32 * mib + 1), ends: "request_too_large" },
  { ...compare, name: "64 MiB", body: zeros(64 * mib), ends: "request_too_large" },
];

const call = (name: string, body: string, ends: ExpectedEnd): HostileCall => ({
  name,
  path: name.includes("candidate") || name.includes("vector") ? "/compare" : "/verify",
  body: textBody(body),
  ends,
});
