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

const jsonType = "application/json";
/** Vectors of an unnamed model are refused. */
const model = { model_name: "SFace" };
const named = ["options", jsonType, json(model)] as [string, string, string];
const accepted: [path: string, type: string, mistakes: Record<string, string | Buffer>][] = [
  [
    "/represent",
    form,
    { "curl -d with JSON, which is called a form": img, "curl --data-binary @photo.jpg": file },
  ],
  ["/represent", "application/vnd.api+json", { "JSON under a type of its own": img }],
  ["/represent", "application/octet-stream", { "JSON as application/octet-stream": img }],
  [
    "/represent",
    "image/jpeg",
    { "an image": file, "a byte order mark before an image": Buffer.from(`ï»¿${bytes}`, "latin1") },
  ],
  [
    "/represent",
    jsonType,
    {
      "JSON with a byte order mark": Buffer.from(`\ufeff${img}`),
      "an image under JSON's type": file,
      "a line before an image, as Base64": json({
        img: Buffer.from(`\n${bytes}`, "latin1").toString("base64"),
      }),
    },
  ],
  [
    "/represent",
    boundary,
    {
      "JSON in a form's type": img,
      "an image in a form's type": file,
      "lines before an image": parts(["img", "image/jpeg", `\r\n\n${bytes}`]),
      "an image in a part of JSON": parts(["img", jsonType, bytes]),
    },
  ],
  [
    "/compare",
    form,
    {
      "names of lists as PHP and Rails write them":
        "model_name=SFace&vector=[1,0]&candidates[]=[0,1]&candidates[]=[1,0]",
    },
  ],
  [
    "/compare",
    jsonType,
    {
      "results of /represent as candidates": candidates([1, 0]),
      "the same as Base64": candidates(encodedEmbedding([1, 0])),
    },
  ],
  [
    "/compare",
    boundary,
    Object.fromEntries(
      ["application/json", "application/json;charset=utf-8", "text/json", "application/vnd.api+json"].map(
        (type) => [
          `a Blob of ${type}`,
          parts(named, ["vector", type, "[1, 0]"], ["candidates", type, '[{"id": "ann", "vector": [1, 0]}]']),
        ],
      ),
    ),
  ],
  [
    "/verify",
    form,
    { "names with indices": `img1[0]=${encodeURIComponent(image)}&img2[0]=[1,0]&model_name=SFace` },
  ],
  [
    "/verify",
    boundary,
    {
      "a Blob of JSON for an image": parts(
        named,
        ["img1", "image/jpeg", bytes],
        ["img2", jsonType, "[1, 0]"],
      ),
      "a whole request in a part": parts(["request", jsonType, images]),
    },
  ],
  ...["[1, 0]", "[1,0]", "{1,0}", " [ 1.  0.\n]", "[1.e+00 -0.]"].flatMap((text): typeof accepted => [
    [
      "/compare",
      jsonType,
      { [text]: json({ ...model, vector: text, candidates: [text, { vector: text }] }) },
    ],
    ["/verify", jsonType, { [text]: json({ ...model, img1: image, img2: text }) }],
    [
      "/verify",
      form,
      { [text]: `model_name=SFace&img1=${encodeURIComponent(image)}&img2=${encodeURIComponent(text)}` },
    ],
  ]),
];

type Told = Record<string, [body: string | Buffer, detail: RegExp]>;
const refused: [path: string, type: string, mistakes: Told, status?: number][] = [
  [
    "/represent",
    jsonType,
    {
      "lines in a Base64 of a shell": ['{"img": "/9j/\n4AAQ"}', /a line break/],
      "a path of Windows": ['{"img": "C:\\p.jpg"}', /a single backslash/],
      "JSON that is encoded twice": [json(img as never), /JSON inside a string/],
      "files under JSON's type": [multipart, /^The body is multipart\/form-data: let/],
      "a form under JSON's type": [`img=${image}`, /^The body is a form: send/],
      "JSON in UTF-16": [Buffer.from(`\ufeff${img}`, "utf16le"), /is UTF-16/],
      "gzip that no header names": [gzipSync(img), /compressed with gzip/],
      "Python's b'...'": [json({ img: `b'${image}'` }), /character 2 is a single quote/],
      "Base64 of Base64": [json({ img: twice() }), /encode it once/],
      hexadecimal: [json({ img: file.toString("hex") }), /send Base64/],
      "bytes as a list": [json({ img: [...file] }), /an image as numbers/],
      "JSON.stringify of a Blob": [json({ img: new Blob([file]) }), /an empty object, as JSON has for/],
      "bytes of a Uint8Array": [
        json({ img: Object.fromEntries(Buffer.alloc(2_000, file).entries()) }),
        /an image as numbers/,
      ],
      "a page with an error": [json({ img: html() }), /a page in HTML/],
      "a canvas without a size": [json({ img: "data:," }), /an empty data URL: the canvas/],
      "the same with a type": [json({ img: "data:image/png;base64," }), /an empty data URL/],
    },
  ],
  ["/represent", "multipart/form-data", { "no boundary": [multipart, /no boundary .* let the HTTP client/] }],
  ["/represent", boundary, { "a form in another form's type": ["img=abc", /^The body is a form: send/] }],
  [
    "/represent",
    "text/plain",
    {
      "Base64 alone": [image, /^The body is Base64 alone: send it in a field/],
      "an object of JavaScript": ["[object Object]", /JSON\.stringify of the object/],
    },
  ],
  [
    "/represent",
    form,
    {
      "files under a form's type": [multipart, /^The body is multipart\/form-data: let/],
      "HEIC of a telephone": [heic(), /HEIC, which is not accepted\. Convert it/],
      "bytes as a text of a form": [`img=${percentBytes()}`, /the bytes of a file as text/],
      "the field of another service": [`file=${image}`, /The request has "file" instead\.$/],
      "one field twice": ["img=a&img=b", /^The form field img takes one value and was sent twice\.$/],
      "a file in data= of Python's requests": ["img=a&img=b&img=c", /sent 3 times: send an image as a file/],
      "a large file in data=": ["img=a&".repeat(1_200), /^A form takes at most 1114 fields: send .* files=/],
    },
  ],
  ["/verify", "image/jpeg", { "an image for an endpoint of two": [file, /"-F img1=@FILE -F img2=@FILE"/] }],
  [
    "/verify",
    form,
    {
      "one field for two images": ["images[]=a&images[]=b", /has "images" instead\.$/],
      "the fields of CompreFace": ["source_image=a&target_image=b", /"source_image", "target_image"/],
    },
  ],
  [
    "/verify",
    jsonType,
    {
      "bytes of a Buffer": [json({ img1: file, img2: [1, 0] }), /an image as numbers/],
      "a list in a list": [json({ img1: image, img2: [[1, 0]] }), /img2 is a list in a list: send/],
      "a print that was cut short": [json({ img1: image, img2: "[1 0 ... 1 0]" }), /was cut short/],
    },
  ],
  ["/compare", form, { "a print in a form": ["vector=[0.1 ... 0.2]&candidates=[1,0]", /was cut short/] }],
  [
    "/compare",
    jsonType,
    {
      "NaN of NumPy": ['{"vector": [NaN]}', /line 1, column 13 has NaN, which/],
      "no field of a source": ['{"face":"a","candidates":[[1,0]]}', /"face" instead/],
      "no field of a candidate": [
        '{"model_name":"SFace","vector":[1,0],"candidates":[{"url":"a"}]}',
        /"url"/,
      ],
      "a name of face-api.js": [
        json({ ...model, vector: [1, 0], candidates: [{ label: "ann", vector: [1, 0] }] }),
        /^candidate 0 has label, which is not a field of a candidate: write id, or person\.$/,
      ],
      "an empty vector": ['{"vector":[],"candidates":[[1]]}', /must be 1 to 2 finite/],
      "a Float32Array": [
        json({ vector: new Float32Array(2), candidates: [[1]] }),
        /is an object: send its numbers/,
      ],
    },
  ],
  ...["[[1, 0]]", "[ 1. 0. ... 0. ]", "array([1., 0.])", "[1, 0", "[1, nan]"].flatMap(
    (text): typeof refused => [
      ["/compare", jsonType, { [text]: [json({ vector: text, candidates: [[1, 0]] }), printed(text)] }],
      [
        "/compare",
        jsonType,
        { [`candidate ${text}`]: [json({ img: image, candidates: [text] }), printed(text)] },
      ],
    ],
  ),
  ...["undefined", "null", "None", "NaN", "[object Blob]", "<FileStorage: 'a'>", "[B@1b6d3586"].flatMap(
    (word): typeof refused => [
      ["/represent", jsonType, { [word]: [json({ img: word }), /the name of a value or of an object/] }],
      ["/represent", form, { [word]: [`img=${encodeURIComponent(word)}`, /the name of a value/] }],
      ["/represent", boundary, { [word]: [parts(["img", "image/jpeg", word]), /the name of a value/] }],
    ],
  ),
  ...Object.entries({
    "UTF-8": Buffer.from(file.toString("utf8")),
    Latin1: Buffer.from(bytes),
    ASCII: Buffer.from(bytes.replaceAll(/[\x80-\xff]/g, "?"), "latin1"),
  }).flatMap(([name, text]): typeof refused => [
    ["/represent", "image/jpeg", { [name]: [text, /was read or sent as text/] }],
    [
      "/represent",
      jsonType,
      { [name]: [json({ img: text.toString("base64") }), /was read or sent as text/] },
    ],
  ]),
  [
    "/v1/verify",
    jsonType,
    { "a version in the path": [images, /at this path. Did you mean \/verify\?$/] },
    404,
  ],
  ["/verify/", jsonType, { "a slash too many": [images, /Did you mean \/verify\?$/] }, 404],
  ["/Compare", jsonType, { "a path in capitals": [images, /Did you mean \/compare\?$/] }, 404],
  [
    "/find",
    jsonType,
    { "a path of DeepFace": [img, /not offered: see \/docs\/coming-from-deepface\.$/] },
    404,
  ],
  ["/api/v1/recognition/faces", boundary, { "a path of CompreFace": [multipart, /from-compreface\.$/] }, 404],
  ["/v1/face/identify", jsonType, { "a path of LocalAI": [img, /from-localai\.$/] }, 404],
];

for (const [path, type, mistakes] of accepted) {
  for (const [mistake, body] of Object.entries(mistakes)) {
    test(`accepted: ${mistake} (${type} to ${path})`, async (t) => {
      const response = await inject(testServer(t), path, type, body);
      assert.equal(response.statusCode, 200, response.body);
    });
  }
}

for (const [path, type, mistakes, status = 400] of refused) {
  for (const [mistake, [body, detail]] of Object.entries(mistakes)) {
    test(`told: ${mistake} (${type} to ${path})`, async (t) => {
      const response = await inject(testServer(t), path, type, body);
      assert.equal(response.statusCode, status);
      assert.match(response.json().detail, detail);
      // Neither Base64 nor another part of what was sent.
      assert.doesNotMatch(response.json().detail, /[\w+/]{20}/);
    });
  }
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
  const response = await testServer(t).app.inject({ method: "OPTIONS", url: "/verify", headers });
  assert.deepEqual([response.statusCode, response.headers["access-control-allow-origin"]], [405, undefined]);
  assert.match(response.json().detail, /CORS_ORIGINS/);
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
  return json({ ...model, vector: [1, 0], candidates: [{ embedding, facial_area: {}, face_confidence: 1 }] });
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
