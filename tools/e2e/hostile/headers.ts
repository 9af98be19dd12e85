import { gzipSync } from "node:zlib";
import { type ExpectedEnd, type HostileCall, jsonBody, marker } from "./hostile-call.ts";

/** Calls with a valid body and hostile headers, methods or paths. */
export function headers(key: string): HostileCall[] {
  const header = (name: string, value: string, ends: ExpectedEnd): HostileCall => ({
    name: `${name}: ${value.slice(0, 60).replaceAll(key, "…")}`,
    path: "/verify",
    headers: { [name]: value },
    body,
    ends,
  });
  return [
    ...otherTypes.map((type) => header("content-type", type, "unsupported_media_type")),
    ...goodTypes.map((type) => header("content-type", type, "ok")),
    ...codings.map((coding) => ({
      ...header("content-encoding", coding, "unsupported_media_type"),
      body: gzipped,
    })),
    ...badDeadlines.map((ms) => header("x-request-timeout-ms", ms, "invalid_request")),
    header("authorization", `Bearer not-${key}`, "invalid_api_key"),
    header("authorization", `Bearer ${key}`, "ok"),
    header("x-api-key", "guessed", "invalid_api_key"),
    header("x-api-key", "", "missing_api_key"),
    header("x-api-key", `${key}${key}`, "invalid_api_key"),
    header("x-api-key", "k".repeat(8_000), "invalid_api_key"),
    header("x-long", "x".repeat(70_000), "request_too_large"),
    header("traceparent", marker, "ok"),
    header("x-request-id", `${marker}<script>`, "ok"),
    header("x-request-id", "x".repeat(4_000), "ok"),
    header("accept", "application/problem+json", "ok"),
    ...charsets,
    ...methods.map((method) => ({
      name: `${method} /verify`,
      path: "/verify",
      method,
      headers: { "content-type": "" },
      ends: "method_not_allowed" as const,
    })),
    ...paths.map((path) => ({ name: path.replaceAll(marker, "…"), path, body, ends: "not_found" as const })),
    ...(["/health", "/capabilities", "/livez"] as const).map((path) => ({
      name: `POST ${path}`,
      path,
      body,
      ends: "method_not_allowed" as const,
    })),
  ];
}

const vector = Array.from({ length: 128 }, (_, i) => i);
const fields = { img1: vector, img2: vector };
const body = jsonBody(fields);
const gzipped = () => new Uint8Array(gzipSync(body()));

const otherTypes = [
  "application/xml",
  "application/octet-stream",
  "application/x-ndjson",
  "application/javascript",
  "image/jpeg",
  "text/html",
  "text/xml",
  "audio/mpeg",
  "json",
  "*/*",
  marker,
];
const goodTypes = ["text/plain", "application/json; charset=utf-8", "application/json;", "Application/JSON"];
const codings = ["gzip", "br", "deflate", "zstd", "gzip, gzip", "compress", marker];
const badDeadlines = ["0", "-1", "49", "120001", "1e3", "1.5", " ", "NaN", "99999999999999999999", marker];
const methods = ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"];
const paths = [
  `/${marker}`,
  "/analyze",
  "/verify/",
  "/VERIFY",
  "/verify/../represent%00",
  `/verify%2f${marker}`,
  `/%2e%2e/%2e%2e/etc/passwd?${marker}`,
  `/represent/${"x".repeat(4_000)}`,
];

/** Bytes that are not UTF-8, with various charset parameters. */
const charsets: HostileCall[] = [
  ["UTF-16", Buffer.from(body(), "utf16le"), "application/json; charset=utf-16"],
  [
    "UTF-16 with a byte order mark",
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body(), "utf16le")]),
    "application/json",
  ],
  [
    "Latin-1",
    Buffer.from(jsonBody({ ...fields, name: "é" })(), "latin1"),
    "application/json; charset=iso-8859-1",
  ],
  ["a byte that is never UTF-8", Buffer.concat([Buffer.from('{"a":"\xff"}', "latin1")]), "application/json"],
  ["a surrogate in UTF-8", Buffer.from('{"a":"\xed\xa0\x80"}', "latin1"), "application/json"],
].map(([name, bytes, type]) => ({
  name: `the charset: ${name as string}`,
  path: "/verify",
  headers: { "content-type": type as string },
  body: () => new Uint8Array(bytes as Buffer),
  ends: "invalid_json",
}));
