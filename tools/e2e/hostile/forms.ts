import { type ExpectedEnd, type HostileCall, marker } from "./hostile-call.ts";

/** Forms that are truncated, malformed, or expand to many times their size. */
export const forms = (): HostileCall[] => [
  ...multiparts.map(([name, body, ends]) => form(`multipart: ${name}`, multipart, body, ends)),
  ...types.map((type) => form(`multipart: ${type}`, type, () => part("img1", marker), "invalid_request")),
  ...texts.map(([name, body, ends]) => form(`urlencoded: ${name}`, urlencoded, body, ends)),
];

const multipart = "multipart/form-data; boundary=b";
const urlencoded = "application/x-www-form-urlencoded";
const types = [
  "multipart/form-data",
  "multipart/form-data; boundary=",
  `multipart/form-data; boundary=${"b".repeat(71)}`,
  "multipart/form-data; boundary=bää",
].map((type) => Buffer.from(type).toString("latin1"));

const part = (name: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const vector = JSON.stringify(Array.from({ length: 128 }, (_, i) => i));
const two = part("img1", vector) + part("img2", vector) + part("model_name", "SFace");

const multiparts: [name: string, body: () => string, ends: ExpectedEnd][] = [
  ["valid", () => `${two}${part("unread", marker)}--b--\r\n`, "ok"],
  ["no end", () => two, "invalid_request"],
  ["cut off in a head", () => `${two}--b\r\ncontent-dispo`, "invalid_request"],
  ["another boundary", () => two.replaceAll("--b", "--c"), "invalid_request"],
  ["JSON in its place", () => `{"img1":"${marker}"}`, "missing_image"],
  ["a field twice", () => `${two}${part("img2", vector)}--b--\r\n`, "invalid_request"],
  [
    "broken JSON in a field",
    () => `${part("img1", `[${marker}`)}${part("img2", vector)}--b--\r\n`,
    "invalid_json",
  ],
  ["a million parts", () => `${"--b\r\n\r\n\r\n".repeat(1_000_000)}--b--\r\n`, "invalid_request"],
  ["2,000 candidates", () => `${part("candidates", marker).repeat(2_000)}--b--\r\n`, "too_many_candidates"],
];

const texts: [name: string, body: () => string, ends: ExpectedEnd][] = [
  ["valid", () => `model_name=SFace&img1=${vector}&img2=${vector}&unread=${marker}`, "ok"],
  ["nothing", () => "", "missing_image"],
  ["a prototype", () => `__proto__=${marker}&model_name=SFace&img1=${vector}&img2=${vector}`, "ok"],
  ["a prototype in JSON", () => `img1={"__proto__":"${marker}"}&img2=${vector}`, "invalid_json"],
  ["a field twice", () => `img1=${vector}&img2=${marker}&img2=${vector}`, "invalid_request"],
  ["a bare NaN", () => `img1=[NaN]&img2=${marker}`, "invalid_json"],
  ["lists 10,000 deep", () => `img1=${"[".repeat(10_000)}&img2=${marker}`, "invalid_request"],
  ["100,000 fields", () => `${marker}=1&`.repeat(100_000), "invalid_request"],
  ["a million ampersands", () => "&".repeat(1_000_000), "invalid_request"],
  ["2,000 candidates", () => `candidates=${marker}&`.repeat(2_000), "too_many_candidates"],
  ["10 MiB of escapes", () => `img1=${"%41".repeat(3_495_253)}`, "missing_image"],
  ["escapes that are none", () => `img1=%${marker}%zz&img2=${vector}`, "invalid_image"],
];

const form = (name: string, type: string, body: () => string, ends: ExpectedEnd): HostileCall => ({
  name,
  path: "/verify",
  headers: { "content-type": type },
  body,
  ends,
});
