import { mulberry32 } from "@faceline/contracts/testing/mulberry32";

/**
 * Returns a JSON body drawn from a seed: images of some kilobytes in the places of images and elsewhere, as
 * clients send them and as nobody should. Half of them are valid.
 */
export function drawBody(seed: number): Buffer {
  const draw = new Draw(seed);
  const fields = Array.from({ length: 1 + draw.below(4) }, () => draw.field());
  const object = `{${fields.join()}}`;
  let json = Buffer.from(draw.rarely(8) ? draw.pick([`[${object}]`, fields[0]!, `\ufeff${object}`]) : object);
  if (draw.rarely(10)) json = json.subarray(0, draw.below(json.length));
  for (let i = draw.rarely(6) ? 2 : 0; i > 0 && json.length > 0; i--)
    json[draw.below(json.length)] = draw.pick(oddBytes);
  return json;
}

/** Random choices that a seed determines. */
class Draw {
  readonly #next: () => number;
  /** Half of the bodies have few oddities. */
  readonly #rarity: number;

  constructor(seed: number) {
    this.#next = mulberry32(seed);
    this.#rarity = this.pick([1, 6]);
  }

  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  oneIn = (count: number): boolean => this.below(count) === 0;
  /** Once in `count` times, and in the clean half of the bodies a sixth as often. */
  rarely = (count: number): boolean => this.oneIn(count * this.#rarity);
  pick = <T>(items: readonly T[]): T => items[this.below(items.length)]!;

  field(): string {
    if (this.rarely(20)) return `"${this.pick(["__proto__", "\\u005f_proto__"])}":{}`;
    if (this.oneIn(3)) return `"${this.pick(lists)}":${this.list()}`;
    const name = this.pick(names);
    return this.rarely(10) ? `${this.text()}:${this.value()}` : `"${name}":${this.value()}`;
  }

  list(): string {
    if (this.rarely(4)) return this.value();
    const items = Array.from({ length: this.below(4) }, () =>
      this.oneIn(2)
        ? this.value()
        : `{"id":${this.rarely(4) ? this.text() : 7},"${this.pick(["img", "vector", "value", "b64"])}":${this.value()}}`,
    );
    return `[${items.join()}]`;
  }

  value(): string {
    if (this.rarely(6))
      return this.pick(["null", "[1,2.5]", "[]", '{"a":{"img1":[]}}', "tru", "-0", '"ArcFace"']);
    return this.text();
  }

  /** A string of JSON with its quotes: an image, or something like it. */
  text(): string {
    const bytes = Buffer.alloc(this.pick([30, 3_072, 3_073, 3_074, 3_075, 5_000 + this.below(40)]));
    for (let at = 0; at < bytes.length; at++) bytes[at] = this.below(256);
    Buffer.from(this.pick(["\xff\xd8\xff\xe0", "\x89PNG\r\n\x1a\n", "GIF89a", ""]), "latin1").copy(bytes);
    let text = bytes.toString(this.oneIn(5) ? "base64url" : "base64");
    if (this.rarely(4)) text = text.replace(/=+$/, this.pick(["", "=", "==", "===", "= =", "=\\n"]));
    if (this.oneIn(3)) text = this.pick(prefixes) + text;
    if (this.rarely(6)) text = text.replaceAll("/", "\\/");
    if (this.rarely(6))
      text = text.replace(/.{76}/g, this.pick(["$&\\n", "$&\\r\\n", "$& ", "$&\n", "$&\u00a0"]));
    if (this.rarely(3)) {
      const at = this.below(text.length);
      text = text.slice(0, at) + this.pick(oddities) + text.slice(at + this.below(2));
    }
    return `"${text}"`;
  }
}

const lists = ["candidates", "candidates", "vectors", "target_vectors"];
const names = [
  "img1",
  "img2",
  "img",
  "img1_path",
  "img1",
  "img2_path",
  "img",
  "img1",
  "model_name",
  "vector",
  "note",
  "constructor",
  "candidates",
  "7",
];
const prefixes = [
  "data:image/jpeg;base64,",
  "DATA:;BASE64,",
  "data:;base64, ",
  "data:a\\/b;base64,",
  "data:\\x;base64,",
  "data:\t;base64,",
  "data:image/png,",
  "data:\u00e9;base64,",
  `data:${"x".repeat(250)};base64,`,
  "http://",
  "/9j/",
  "C:",
  " ",
  "\\u0064ata:;base64,",
];
const oddBytes = [0, 0x0a, 0x20, 0x22, 0x2a, 0x3d, 0x5c, 0x7f, 0x80, 0xc3];
const oddities = [
  "*",
  "=",
  "==",
  "\\u002b",
  "\\u0041",
  "\\\\",
  '\\"',
  "\\",
  '"',
  "\\ud800",
  "\ud83d\ude00",
  "\u2028",
  "\u0141",
  "\t",
  "\\t",
  " ",
  "\0",
  ",",
  "-",
  "_",
  "/",
  "\\x",
  "6f9619ff-8b86-4d11-b42d-00cf4fc964ff0",
  '","img2":"',
];
