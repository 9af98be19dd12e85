import { type ExpectedEnd, type HostileCall, jsonBody, marker } from "./hostile-call.ts";

/** Base64 and data URLs in every notation, and texts that only look like an image. */
export function sources(portrait: Buffer): HostileCall[] {
  const base64 = portrait.toString("base64");
  const wrapped = base64.replace(/.{76}/g, "$&\r\n");
  return [
    ...addresses.map((img) => call(`the address ${img}`, img, "unsupported_image_source")),
    call("wrapped lines", wrapped, "ok"),
    call("white space around it", ` \t\n${base64}\n `, "ok"),
    call("a blank between all", base64.split("").join(" "), "ok"),
    call("the URL alphabet", portrait.toString("base64url"), "ok"),
    call("no padding", base64.replace(/=+$/, ""), "ok"),
    ...falseTypes.map((type) => call(`a data URL of ${type}`, `data:${type};base64,${base64}`, "ok")),
    call("a data URL in capitals", `DATA:IMAGE/JPEG;BASE64,${base64}`, "ok"),
    call("a data URL in percents", `data:image/jpeg,%FF%D8%FF${marker}`, "invalid_image"),
    call("a data URL of nothing", "data:image/jpeg;base64,", "missing_image"),
    call(
      "a data URL in a data URL",
      `data:image/jpeg;base64,data:image/jpeg;base64,${base64}`,
      "invalid_image",
    ),
    call("a star in the middle", `${base64.slice(0, 400)}*${base64.slice(400)}`, "invalid_image"),
    call("a null byte in the middle", `${base64.slice(0, 400)}\0${base64.slice(400)}`, "invalid_image"),
    call("a surrogate in the middle", `${base64.slice(0, 400)}\ud83d${base64.slice(400)}`, "invalid_image"),
    call("padding in the middle", `${base64.slice(0, 400)}==${base64.slice(400)}`, "invalid_image"),
    call(
      "a length that is none of Base64",
      `${base64.replace(/=+$/, "").slice(0, 4 * 100)}A`,
      "invalid_image",
    ),
    call("only padding", "====", "invalid_image"),
    call("hexadecimal", portrait.toString("hex"), "invalid_image"),
    call("the bytes as they are", portrait.toString("latin1"), "invalid_image"),
    call("Base64 of Base64", Buffer.from(base64).toString("base64"), "invalid_image"),
    call("14 MiB of Base64", "/9j/".repeat(14 * 262_144), "image_too_large"),
    call("11 MiB of blanks", " ".repeat(11 * 1_048_576), "missing_image"),
  ];
}

const addresses = [
  `https://example.org/${marker}.jpg`,
  `http://[::1]/${marker}`,
  `file:///etc/passwd?${marker}`,
  `javascript:alert("${marker}")`,
  `/etc/passwd${marker}`,
  `../../${marker}`,
  `/proc/self/environ`,
];

const falseTypes = ["image/png", "text/html", "application/pdf", "image/svg+xml", "", "x".repeat(200)];

const call = (name: string, img: string, ends: ExpectedEnd): HostileCall => ({
  name: name.replaceAll(marker, "…"),
  path: "/represent",
  body: jsonBody({ img, detector_backend: "auto" }),
  ends,
});
