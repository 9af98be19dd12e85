import { mulberry32 } from "@faceline/contracts/testing/mulberry32";
import { type HostileCall, jsonBody } from "./hostile-call.ts";

/**
 * Valid calls with some random bytes changed, in the JSON or in its image, drawn from the seed. Some are
 * still valid; all of them must end with a documented answer.
 */
export function mutations(seed: number, count: number, portrait: Buffer): HostileCall[] {
  const draw = mulberry32(seed);
  const below = (max: number): number => Math.floor(draw() * max);
  const valid = validCalls(portrait);
  return Array.from({ length: count }, (_, index) => {
    const name = `mutation ${index} of seed ${seed}`;
    if (index % 4 === 3) {
      const img = mutated(portrait, below).toString("base64");
      return {
        name,
        path: "/represent",
        body: jsonBody({ img, detector_backend: "auto" }),
        ends: "documented",
      };
    }
    const [path, whole] = valid[below(valid.length)]!;
    const bytes = new Uint8Array(mutated(Buffer.from(whole), below));
    return { name, path, body: () => bytes, ends: "documented" };
  });
}

function validCalls(portrait: Buffer): [path: string, body: string][] {
  const img = portrait.toString("base64");
  const vector = Array.from({ length: 128 }, (_, i) => (i - 64) / 1_000);
  const options = { detector_backend: "auto", model_name: "SFace", normalization: "base", align: true };
  const rule = { distance_metric: "euclidean_l2", threshold: 0.5 };
  return [
    ["/verify", jsonBody({ img1: vector, img2: vector, ...options, ...rule, face_policy: "largest" })()],
    ["/verify", jsonBody({ ...options, img1: img, img2: vector })()],
    [
      "/represent",
      jsonBody({ ...options, max_faces: 2, l2_normalize: "true", img, embedding_format: "base64" })(),
    ],
    ["/compare", jsonBody({ vector, candidates: [vector, { id: "a", vector }], ...options, ...rule })()],
    ["/compare", jsonBody({ ...options, face_index: 0, img, candidates: [vector] })()],
  ];
}

/**
 * One to eight changes: a flipped bit, another byte, or a range that is removed, repeated or moved to the
 * front.
 */
function mutated(bytes: Buffer, below: (max: number) => number): Buffer {
  let changed = Buffer.from(bytes);
  for (let remaining = 1 + below(8); remaining > 0; remaining--) {
    const at = below(changed.length);
    const piece = changed.subarray(at, at + 1 + below(16));
    const [before, after] = [changed.subarray(0, at), changed.subarray(at + piece.length)];
    switch (below(5)) {
      case 0:
        changed[at]! ^= 1 << below(8);
        break;
      case 1:
        changed[at] = [0x00, 0x22, 0x5b, 0x7b, 0x5c, 0x2c, 0xff, below(256)][below(8)]!;
        break;
      case 2:
        changed = Buffer.concat([before, after]);
        break;
      case 3:
        changed = Buffer.concat([before, piece, piece, after]);
        break;
      default:
        changed = Buffer.concat([piece, before, after]);
    }
  }
  return changed;
}
