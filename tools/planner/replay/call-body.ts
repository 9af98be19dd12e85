import type { LaneId } from "@faceline/contracts/wire/ids";

/**
 * Returns the call that has so many pictures: /represent with one, /verify with two, /compare with more. A
 * trace does not say which it was; their pictures take the same work. `pictures`: JPEGs in Base64. The body
 * comes in pieces, so that pictures are not copied.
 */
export function callBody(
  lane: LaneId,
  pictures: readonly Uint8Array[],
): { path: string; body: Uint8Array[] } {
  const [model_name, detector_backend] = lane.split("/");
  const options = `"model_name":${JSON.stringify(model_name)},"detector_backend":${JSON.stringify(detector_backend)}`;
  const [first, second] = pictures as [Uint8Array, Uint8Array];
  if (pictures.length === 1)
    return { path: "/represent", body: [text(`{${options},"img":"`), first, text('"}')] };
  if (pictures.length === 2) {
    const body = [text(`{${options},"img1":"`), first, text('","img2":"'), second, text('"}')];
    return { path: "/verify", body };
  }
  const candidates = pictures
    .slice(1)
    .flatMap((picture, index) => [text(`${index === 0 ? "" : ","}{"img":"`), picture, text('"}')]);
  return {
    path: "/compare",
    body: [text(`{${options},"img":"`), first, text('","candidates":['), ...candidates, text("]}")],
  };
}

const text = (part: string): Buffer => Buffer.from(part);
