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
    ...["application/xml", "*/*", marker].map((type) =>
      header("content-type", type, "unsupported_media_type"),
    ),
    header("content-type", "image/jpeg", "invalid_request"),
    ...["text/plain", "application/json;", "Application/JSON"].map((type) =>
      header("content-type", type, "ok"),
    ),
    ...["gzip", "gzip, gzip", marker].map((coding) => ({
      ...header("content-encoding", coding, "unsupported_media_type"),
      body: () => new Uint8Array(gzipSync(body())),
    })),
    ...["0", "120001", "1e3", " ", "99999999999999999999", marker].map((ms) =>
      header("x-request-timeout-ms", ms, "invalid_request"),
    ),
    header("authorization", `Bearer not-${key}`, "invalid_api_key"),
    header("x-api-key", "", "missing_api_key"),
    header("x-api-key", `${key}${key}`, "invalid_api_key"),
    header("x-api-key", "k".repeat(8_000), "invalid_api_key"),
    header("x-long", "x".repeat(70_000), "request_too_large"),
    header("traceparent", marker, "ok"),
    header("x-request-id", `${marker}<script>`, "ok"),
    header("x-request-id", "x".repeat(4_000), "ok"),
    ...charsets.map(([charset, bytes]) => ({
      ...header("content-type", `application/json${charset}`, "invalid_json"),
      body: () => new Uint8Array(bytes),
    })),
    ...["GET", "PUT", "OPTIONS"].map((method) => ({
      name: `${method} /verify`,
      path: "/verify",
      method,
      headers: { "content-type": "" },
      ends: "method_not_allowed" as const,
    })),
    ...paths.map((path) => ({ name: path.replaceAll(marker, "…"), path, body, ends: "not_found" as const })),
  ];
}

const vector = Array.from({ length: 128 }, (_, i) => i);
const body = jsonBody({ model_name: "SFace", img1: vector, img2: vector });

const paths = [
  `/${marker}`,
  "/verify/../represent%00",
  `/verify%2f${marker}`,
  `/%2e%2e/%2e%2e/etc/passwd?${marker}`,
  `/represent/${"x".repeat(4_000)}`,
];

/** Bytes that are not UTF-8, with various charset parameters. */
const charsets: [charset: string, bytes: Buffer][] = [
  ["; charset=utf-16", Buffer.from(body(), "utf16le")],
  ["", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body(), "utf16le")])],
  ["; charset=iso-8859-1", Buffer.from(jsonBody({ name: "é" })(), "latin1")],
  ["", Buffer.from('{"a":"\xed\xa0\x80"}', "latin1")],
];
