import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { Catalogue } from "@faceline/models/catalogue";
import type { Model } from "@faceline/models/catalogue-entry";
import {
  base64Image,
  encodedEmbedding,
  rejectedAnswer,
  testKey,
  testModels,
  testServer,
} from "../../testing/server.ts";

// Covers what people send on their first try, as bug reports of other services tell: it is accepted where it
// can mean one thing; otherwise the error says what came and what to send.

const image = await base64Image();
const file = Buffer.from(image, "base64");
const json = (body: object) => JSON.stringify(body);
const img = json({ img: image });
const images = json({ img1: image, img2: image });
const multipart = [
  "--abc",
  'Content-Disposition: form-data; name="img"; filename="a.jpg"',
  "Content-Type: image/jpeg",
  "",
  file.toString("latin1"),
  "--abc--",
  "",
].join("\r\n");
const form = "application/x-www-form-urlencoded";
const boundary = "multipart/form-data; boundary=abc";
/** A form of parts as browsers write them. */
const parts = (...each: [name: string, type: string, content: string][]) =>
  Buffer.from(
    each
      .map(
        ([name, type, content]) =>
          `--abc\r\nContent-Disposition: form-data; name="${name}"; filename="blob"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`,
      )
      .concat("--abc--\r\n")
      .join(""),
    "latin1",
  );
const bytes = file.toString("latin1");
const key = { "x-api-key": testKey };

const accepted: [mistake: string, path: string, type: string, body: string | Buffer][] = [
  ["curl -d with JSON, which is called a form", "/represent", form, img],
  ["JSON under a type of its own", "/represent", "application/vnd.api+json", img],
  ["JSON as application/octet-stream", "/represent", "application/octet-stream", img],
  ["JSON with a byte order mark", "/represent", "application/json", `\ufeff${img}`],
  ["curl --data-binary @photo.jpg", "/represent", form, file],
  ["an image as image/jpeg", "/represent", "image/jpeg", file],
  ["an image under JSON's type", "/represent", "application/json", file],
  [
    "names of lists as PHP and Rails write them",
    "/compare",
    form,
    "vector=[1,0]&candidates[]=[0,1]&candidates[]=[1,0]",
  ],
  ["names with indices", "/verify", form, `img1[0]=${encodeURIComponent(image)}&img2[0]=[1,0]`],
  ["results of /represent as candidates", "/compare", "application/json", candidates([1, 0])],
  ["the same as Base64", "/compare", "application/json", candidates(encodedEmbedding([1, 0]))],
  ["JSON in a form's type", "/represent", boundary, img],
  ["an image in a form's type", "/represent", boundary, file],
  [
    "a byte order mark before an image",
    "/represent",
    "image/jpeg",
    Buffer.concat([Buffer.from("\ufeff"), file]),
  ],
  ["lines before an image", "/represent", boundary, parts(["img", "image/jpeg", `\r\n\n${bytes}`])],
  [
    "the same as Base64",
    "/represent",
    "application/json",
    json({ img: Buffer.from(`\n${bytes}`, "latin1").toString("base64") }),
  ],
  ["an image under JSON's type", "/represent", boundary, parts(["img", "application/json", bytes])],
  ...["application/json", "application/json;charset=utf-8", "text/json", "application/vnd.api+json"].map(
    (type): [string, string, string, Buffer] => [
      `a Blob of ${type}`,
      "/compare",
      boundary,
      parts(["vector", type, "[1, 0]"], ["candidates", type, '[{"id": "ann", "vector": [1, 0]}]']),
    ],
  ),
  [
    "a Blob of JSON in place of an image",
    "/verify",
    boundary,
    parts(["img1", "image/jpeg", bytes], ["img2", "application/json", "[1, 0]"]),
  ],
  ["a whole request in a part", "/verify", boundary, parts(["request", "application/json", images])],
  ...["[1, 0]", "[1,0]", "{1,0}", " [ 1.  0.\n]", "[1.e+00 -0.]"].flatMap(
    (text): [string, string, string, string][] => [
      [
        `${text} as a text`,
        "/compare",
        "application/json",
        json({ vector: text, candidates: [text, { vector: text }] }),
      ],
      [`${text} as a text for an image`, "/verify", "application/json", json({ img1: image, img2: text })],
      [
        `${text} in a form`,
        "/verify",
        form,
        `img1=${encodeURIComponent(image)}&img2=${encodeURIComponent(text)}`,
      ],
    ],
  ),
];

const refused: [
  mistake: string,
  path: string,
  type: string,
  body: string | Buffer,
  status: number,
  detail: RegExp,
][] = [
  [
    "NaN of NumPy",
    "/compare",
    "application/json",
    '{"vector": [NaN]}',
    400,
    /line 1, column 13 has NaN, which/,
  ],
  [
    "lines in a Base64 of a shell",
    "/represent",
    "application/json",
    '{"img": "/9j/\n4AAQ"}',
    400,
    /a line break/,
  ],
  ["a path of Windows", "/represent", "application/json", '{"img": "C:\\p.jpg"}', 400, /a single backslash/],
  [
    "JSON that is encoded twice",
    "/represent",
    "application/json",
    json(img as never),
    400,
    /JSON inside a text/,
  ],
  [
    "files under JSON's type",
    "/represent",
    "application/json",
    multipart,
    400,
    /^The body is multipart\/form-data: let/,
  ],
  ["files under a form's type", "/represent", form, multipart, 400, /^The body is multipart\/form-data: let/],
  [
    "a type without its boundary",
    "/represent",
    "multipart/form-data",
    multipart,
    400,
    /no boundary .* let the HTTP client/,
  ],
  [
    "a form under JSON's type",
    "/represent",
    "application/json",
    `img=${image}`,
    400,
    /^The body is a form: send/,
  ],
  ["Base64 alone", "/represent", "text/plain", image, 400, /^The body is Base64 alone: send it in a field/],
  [
    "JSON in UTF-16",
    "/represent",
    "application/json",
    Buffer.from(`\ufeff${img}`, "utf16le"),
    400,
    /is UTF-16/,
  ],
  ["gzip that no header names", "/represent", "application/json", gzipSync(img), 400, /compressed with gzip/],
  ["an image for an endpoint of two", "/verify", "image/jpeg", file, 400, /"-F img1=@FILE -F img2=@FILE"/],
  ["HEIC of a telephone", "/represent", form, heic(), 400, /HEIC, which is not accepted\. Convert it/],
  [
    "Python's b'...'",
    "/represent",
    "application/json",
    json({ img: `b'${image}'` }),
    400,
    /character 2 is a single quote/,
  ],
  ["Base64 of Base64", "/represent", "application/json", json({ img: twice() }), 400, /encode it once/],
  ["hexadecimal", "/represent", "application/json", json({ img: file.toString("hex") }), 400, /send Base64/],
  ["bytes as a list", "/represent", "application/json", json({ img: [...file] }), 400, /an image as numbers/],
  [
    "bytes of a Buffer",
    "/verify",
    "application/json",
    json({ img1: file, img2: [1, 0] }),
    400,
    /an image as numbers/,
  ],
  [
    "bytes as a text of a form",
    "/represent",
    form,
    `img=${percentBytes()}`,
    400,
    /the bytes of a file as a text/,
  ],
  ["a page with an error", "/represent", "application/json", json({ img: html() }), 400, /a page in HTML/],
  [
    "the field of another service",
    "/represent",
    form,
    `file=${image}`,
    400,
    /The request has "file" instead\.$/,
  ],
  [
    "an object of JavaScript",
    "/represent",
    "text/plain",
    "[object Object]",
    400,
    /JSON\.stringify of the object/,
  ],
  ["one field for two images", "/verify", form, "images[]=a&images[]=b", 400, /has "images" instead\.$/],
  [
    "the fields of CompreFace",
    "/verify",
    form,
    "source_image=a&target_image=b",
    400,
    /"source_image", "target_image"/,
  ],
  [
    "no field of a source",
    "/compare",
    "application/json",
    '{"face":"a","candidates":[[1,0]]}',
    400,
    /"face" instead/,
  ],
  [
    "no field of a candidate",
    "/compare",
    "application/json",
    '{"vector":[1,0],"candidates":[{"url":"a"}]}',
    400,
    /"url"/,
  ],
  [
    "one field twice",
    "/represent",
    form,
    "img=a&img=b",
    400,
    /^The form field img takes one value and was sent twice/,
  ],
  [
    "an empty vector",
    "/compare",
    "application/json",
    '{"vector":[],"candidates":[[1]]}',
    400,
    /must be 1 to 2 finite/,
  ],
  ...["[[1, 0]]", "[ 1. 0. ... 0. ]", "array([1., 0.])", "[1, 0", "[1, nan]"].flatMap(
    (text): [string, string, string, string, number, RegExp][] =>
      [json({ vector: text, candidates: [[1, 0]] }), json({ img: image, candidates: [text] })].map(
        (body, index) => [
          `${text} as ${["a vector", "a candidate"][index]}`,
          "/compare",
          "application/json",
          body,
          400,
          printed(text),
        ],
      ),
  ),
  [
    "a list in a list",
    "/verify",
    "application/json",
    json({ img1: image, img2: [[1, 0]] }),
    400,
    /img2 is a list in a list: send/,
  ],
  [
    "a print that was cut short",
    "/verify",
    "application/json",
    json({ img1: image, img2: "[1 0 ... 1 0]" }),
    400,
    /was cut short/,
  ],
  ["the same in a form", "/compare", form, "vector=[0.1 ... 0.2]&candidates=[1,0]", 400, /was cut short/],
  [
    "an object of a Float32Array",
    "/compare",
    "application/json",
    json({ vector: new Float32Array(2), candidates: [[1]] }),
    400,
    /is an object: send its numbers/,
  ],
  [
    "bytes of a Uint8Array",
    "/represent",
    "application/json",
    json({ img: { ...Buffer.alloc(2_000, file) } }),
    400,
    /an image as numbers/,
  ],
  ...[
    "undefined",
    "null",
    "None",
    "NaN",
    "[object Object]",
    "[object Blob]",
    "<_io.BufferedReader name='a.jpg'>",
    "[B@1b6d3586",
  ].flatMap((word): [string, string, string, string | Buffer, number, RegExp][] => [
    [
      `${word} in JSON`,
      "/represent",
      "application/json",
      json({ img: word }),
      400,
      /the name of a value or of an object/,
    ],
    [`${word} in a form`, "/represent", form, `img=${encodeURIComponent(word)}`, 400, /the name of a value/],
    [
      `${word} as a file`,
      "/represent",
      boundary,
      parts(["img", "image/jpeg", word]),
      400,
      /the name of a value/,
    ],
  ]),
  [
    "a canvas without a size",
    "/represent",
    "application/json",
    json({ img: "data:," }),
    400,
    /an empty data URL: the canvas/,
  ],
  [
    "the same with a type",
    "/represent",
    "application/json",
    json({ img: "data:image/png;base64," }),
    400,
    /an empty data URL/,
  ],
  ...Object.entries({
    "UTF-8": asUtf8(file),
    Latin1: Buffer.from(bytes),
    ASCII: Buffer.from(bytes.replaceAll(/[\x80-\xff]/g, "?"), "latin1"),
  }).flatMap(([name, text]): [string, string, string, string | Buffer, number, RegExp][] => [
    [
      `an image through ${name}`,
      "/represent",
      boundary,
      parts(["img", "image/jpeg", text.toString("latin1")]),
      400,
      /was read or sent as a text/,
    ],
    [
      `the same as Base64`,
      "/represent",
      "application/json",
      json({ img: text.toString("base64") }),
      400,
      /was read or sent as a text/,
    ],
  ]),
  ["a form in another form's type", "/represent", boundary, "img=abc", 400, /^The body is a form: send/],
  ["a version in the path", "/v1/verify", "application/json", images, 404, /at this path: write \/verify\.$/],
  ["a slash too many", "/verify/", "application/json", images, 404, /at this path: write \/verify\.$/],
  ["a path in capitals", "/Compare", "application/json", images, 404, /at this path: write \/compare\.$/],
];

for (const [mistake, path, type, body] of accepted) {
  test(`accepted: ${mistake}`, async (t) => {
    const reply = await inject(testServer(t), path, type, body);
    assert.equal(reply.statusCode, 200, reply.body);
  });
}

for (const [mistake, path, type, body, status, detail] of refused) {
  test(`told: ${mistake}`, async (t) => {
    const reply = await inject(testServer(t), path, type, body);
    assert.equal(reply.statusCode, status);
    assert.match(reply.json().detail, detail);
    // Neither Base64 nor another part of what was sent.
    assert.doesNotMatch(reply.json().detail, /[\w+/]{20}/);
  });
}

test("accepted: Base64 with plus signs as it is in a form, and a percent-encoded data URL, arrive whole", async (t) => {
  const base64 = await base64Image(33, "png");
  assert.ok(base64.includes("+"));
  const encoded = json({ img: `data:image/png;base64,${encodeURIComponent(base64)}` });
  for (const [type, body] of [
    [form, `img=${base64}`],
    [form, `img=data:image/png;base64,${base64}`],
    [form, `img=data:image/png;base64, ${base64}`],
    ["application/json", encoded],
  ] as const) {
    const server = testServer(t);
    assert.equal((await inject(server, "/represent", type, body)).statusCode, 200, body.slice(0, 40));
    assert.ok(server.dispatched[0]!.images[0]!.equals(Buffer.from(base64, "base64")));
  }
});

test("told: a page whose origin may not call the service, without a header that would let it", async (t) => {
  const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
  const reply = await testServer(t).app.inject({ method: "OPTIONS", url: "/verify", headers });
  assert.deepEqual([reply.statusCode, reply.headers["access-control-allow-origin"]], [405, undefined]);
  assert.match(reply.json().detail, /CORS_ORIGINS/);
});

test("told: how small a face the detector finds in a large image", async (t) => {
  const catalogue = new Catalogue(
    testModels.map((model) => ({ ...model, found_width_share: 0.025 }) as Model),
  );
  const server = testServer(t, { catalogue, dispatch: async () => [rejectedAnswer("no_face_detected")] });
  const detailOf = async (side: number) =>
    (await server.post("/represent", { img: await base64Image(side) })).json().detail;
  assert.equal(await detailOf(1_280), "No face was found in img.");
  assert.match(
    await detailOf(2_000),
    /^No face was found in img: .* narrower than 50 px are often missed\. Crop /,
  );
});

const inject = (
  { app }: ReturnType<typeof testServer>,
  url: string,
  type: string,
  payload: string | Buffer,
) => app.inject({ method: "POST", url, payload, headers: { ...key, "content-type": type } });

function percentBytes(): string {
  return file.toString("hex").replace(/../g, "%$&");
}

function candidates(embedding: unknown): string {
  return json({ vector: [1, 0], candidates: [{ embedding, facial_area: {}, face_confidence: 1 }] });
}

/** As `response.text()` reads bytes. */
function asUtf8(image: Buffer): Buffer {
  return Buffer.from(image.toString("utf8"));
}

function printed(text: string): RegExp {
  if (text.includes("...")) return /was cut short where it was printed \("\.\.\."\): send all numbers/;
  return text.startsWith("[[") ? /is a list in a list: send/ : /is a list of numbers as text: parse it first/;
}

function twice(): string {
  return Buffer.from(image).toString("base64");
}

function html(): string {
  return Buffer.from("<!DOCTYPE html><html><body>Not found</body></html>").toString("base64");
}

function heic(): Buffer {
  return Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic".padEnd(64), "latin1");
}
