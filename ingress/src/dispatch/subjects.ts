import type { InputFault } from "@faceline/contracts/http/errors";
import { imageFormatNames } from "@faceline/images/format";
import type { Answer } from "@faceline/contracts/wire/answer";
import { decodeEmbedding, type Face } from "@faceline/contracts/wire/face";
import type { DetectorChoice } from "@faceline/models/detector-choice";
import { ApiError, deadlinePassed, type InputRef, inputError } from "../call/api-error.ts";
import type { RequestContext } from "../call/context.ts";
import type { DispatchedCall, Ports } from "../call/ports.ts";
import type { Input } from "../images/inputs.ts";
import type { Subject, SubjectFace } from "../matching/subject.ts";
import { callFailure } from "./call-failure.ts";

/**
 * Sends the images among the inputs to the workers, all in one call, and returns one answer per image, in
 * order. Without images it returns [] and nothing leaves this process. Throws `upstream_timeout` if the
 * deadline has passed already, and what `Ports.dispatch` throws.
 */
export async function dispatchImages(
  ports: Ports,
  context: RequestContext,
  request: LaneRequest,
  inputs: (Input | ApiError)[],
): Promise<Answer[]> {
  const images = inputs.filter(isImage);
  if (images.length === 0) {
    context.record.end("admission");
    context.record.begin("gather");
    return [];
  }
  // The body may have taken longer to arrive than the client wanted to wait.
  if (ports.clock.now() >= context.deadlineAt) throw deadlinePassed(context.record.isStarved);
  context.record.lane = request.lane;
  context.record.imageSizes = images.map(({ image, pixels }) => ({ bytes: image.length, pixels }));
  const costs = images.map(({ cost }) => cost);
  return ports.dispatch({ ...context, ...request, images: images.map(({ image }) => image), costs });
}

/**
 * Returns what each input shows, in order: the faces that a worker found in an image, or the one face that a
 * vector stands for. An input at fault is an ApiError. Throws an ApiError if a task failed for any other
 * reason, because a call is answered whole.
 */
export function subjectsFrom(
  inputs: (Input | ApiError)[],
  answers: Answer[],
  detector: DetectorChoice,
): (Subject | ApiError)[] {
  const next = answers.values();
  return inputs.map((input) => {
    if (input instanceof ApiError) return input;
    if (isImage(input)) return subjectFrom(next.next().value!, input, detector);
    const face = { vector: input.vector, area: null, confidence: 1, quality: null };
    return { ref: input.ref, faces: [face], build: null };
  });
}

const isImage = (input: Input | ApiError): input is SearchedImage =>
  !(input instanceof ApiError) && input.kind === "image";

function subjectFrom(
  { outcome, build }: Answer,
  { ref, longSidePx }: SearchedImage,
  { first: { found_width_share: share = 0 } }: DetectorChoice,
): Subject | ApiError {
  switch (outcome.kind) {
    case "faces": {
      const [largest, ...others] = outcome.faces.map(subjectFace);
      return { ref, faces: [largest!, ...others], build };
    }
    case "rejected":
      return inputError(ref, outcome.code, faultDetail(ref, outcome.code, Math.ceil(share * longSidePx)));
    case "shed":
    case "expired":
    case "failed":
      throw callFailure(outcome)!;
  }
}

/** A detector gives no face a score of 0: workers do if they use the whole image as the face. */
const subjectFace = ({ embedding, area, confidence, quality }: Face): SubjectFace => ({
  vector: decodeEmbedding(embedding),
  area: { ...area, face_found: confidence > 0 },
  confidence,
  quality: quality ?? null,
});

function faultDetail({ label }: InputRef, code: InputFault, foundWidthPx: number): string {
  switch (code) {
    case "no_face_detected":
      return foundWidthPx <= usualFacePx
        ? `No face was found in ${label}.`
        : `No face was found in ${label}: in an image of this size, faces narrower than ${foundWidthPx} px are often missed. Crop it to the person.`;
    case "invalid_image":
      return `The image in ${label} is damaged or incomplete: send the whole file.`;
    case "unsupported_image_format":
      return `The image in ${label} is not ${imageFormatNames}.`;
    case "image_too_large":
      return `The image in ${label} is too large.`;
    case "image_too_small":
      return `The image in ${label} is too small.`;
  }
}

/** Narrower faces are of little use, even if they are found. */
const usualFacePx = 32;

type SearchedImage = Extract<Input, { kind: "image" }>;

/** Request of a call to the workers, beside its images. */
type LaneRequest = Pick<DispatchedCall, "lane" | "options">;
