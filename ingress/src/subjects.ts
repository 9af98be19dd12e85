import type { InputFault } from "@faceline/contracts/http/errors";
import type { Answer } from "@faceline/contracts/wire/answer";
import { decodeEmbedding, type Face } from "@faceline/contracts/wire/face";
import type { LaneId } from "@faceline/contracts/wire/ids";
import type { TaskOptions } from "@faceline/contracts/wire/task";
import type { Arrival } from "./http/arrival.ts";
import type { Input } from "./images/inputs.ts";
import type { Ports } from "./ports.ts";
import { type Place, Refusal, refusalAt } from "./refusal.ts";
import type { SeenFace, Subject } from "./verdict/subject.ts";

/**
 * Turns the inputs of a call into what they show, in order. The images go through the batches together; a vector is a
 * face already, and a call of vectors alone never leaves this process. An input at fault is its Refusal, then as before;
 * whatever else goes wrong ends the call, because a call is answered whole.
 */
export async function findSubjects(
  ports: Ports,
  arrival: Arrival,
  search: Search,
  inputs: (Input | Refusal)[],
): Promise<(Subject | Refusal)[]> {
  const images = inputs.flatMap((input) => (isImage(input) ? [input.image] : []));
  const answers = images.length === 0 ? [] : await findFaces(ports, arrival, search, images);

  const next = answers.values();
  return inputs.map((input) => {
    if (input instanceof Refusal) return input;
    if (isImage(input)) return seenIn(next.next().value!, input.place);
    return { place: input.place, faces: [{ vector: input.vector, area: null, confidence: 1 }] };
  });
}

const isImage = (input: Input | Refusal): input is Extract<Input, { kind: "image" }> =>
  !(input instanceof Refusal) && input.kind === "image";

async function findFaces(
  ports: Ports,
  arrival: Arrival,
  search: Search,
  images: Buffer[],
): Promise<Answer[]> {
  // The body may have taken longer to arrive than the caller meant to wait.
  if (ports.clock.now() >= arrival.deadlineAt) throw tooLate();
  const { requestId, tenant, arrivedAt, deadlineAt, traceparent, signal } = arrival;
  const call = { requestId, tenant, arrivedAt, deadlineAt, traceparent, signal };
  const answers = await ports.findFaces({ ...call, ...search, images });
  arrival.timing = answers.map(({ timing }) => timing).reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a));
  return answers;
}

function seenIn({ outcome }: Answer, place: Place): Subject | Refusal {
  switch (outcome.kind) {
    case "faces": {
      const [first, ...others] = outcome.faces.map(seen);
      return { place, faces: [first!, ...others] };
    }
    case "rejected":
      return refusalAt(place, outcome.code, faultIn(place, outcome.code));
    case "shed": {
      const { reason, retryAfterMs } = outcome;
      if (reason === "queue_too_long")
        throw new Refusal("queue_full", "Too many calls are waiting.", { retryAfterMs });
      throw new Refusal("queue_timeout", "The call could not have been served in time.", { retryAfterMs });
    }
    case "expired":
      throw tooLate();
    case "failed":
      throw new Refusal("upstream_failed", "The images could not be processed.");
  }
}

const seen = ({ embedding, area, confidence }: Face): SeenFace => ({
  vector: decodeEmbedding(embedding),
  area,
  confidence,
});

function faultIn({ called }: Place, code: InputFault): string {
  switch (code) {
    case "no_face_detected":
      return `No face was found in ${called}.`;
    case "invalid_image":
      return `The image in ${called} is damaged.`;
    case "unsupported_image_format":
      return `The image in ${called} is not JPEG, PNG or WebP.`;
    case "image_too_large":
      return `The image in ${called} is too large.`;
    case "image_too_small":
      return `The image in ${called} is too small.`;
  }
}

const tooLate = () => new Refusal("upstream_timeout", "The call's time was over before its answer came.");

const lengthOf = ({ queueMs, batchMs, inferMs }: Answer["timing"]): number => queueMs + batchMs + inferMs;

export type Search = { lane: LaneId; options: TaskOptions };
