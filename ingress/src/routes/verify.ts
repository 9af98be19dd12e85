import { type VerifyReply, VerifyRequest } from "@faceline/contracts/http/verify";
import type { FastifyRequest } from "fastify";
import { secondsSince } from "../http/arrival.ts";
import { readBody } from "../http/body.ts";
import { ruleOf } from "../offer.ts";
import { placeOf, required } from "../refusal.ts";
import { findSubjects } from "../subjects.ts";
import { decidingPair, facesWanted } from "../verdict/pair.ts";
import type { Desk } from "./desk.ts";

/** POST /verify: do two images show the same person? */
export async function verify(desk: Desk, request: FastifyRequest): Promise<VerifyReply> {
  const { ports, settings, offer, inputs } = desk;
  const arrival = request.arrival!;
  const asked = readBody(VerifyRequest, request.body);
  const choice = offer.choose(asked);
  const { metric, threshold } = ruleOf(asked, choice);

  const givens = [
    { place: placeOf("img1"), value: asked.img1 },
    { place: placeOf("img2"), value: asked.img2 },
  ];
  const opened = (await inputs.open(givens, choice.model.embedding_size)).map(required);
  const options = {
    align: asked.align,
    enforceDetection: asked.enforce_detection,
    facesMax: facesWanted(asked.face_policy, settings.FACES_MAX),
    // Whether there is a second face is the very question then, and it may be too small for the quick look.
    fullResolution: asked.face_policy === "single_only",
  };
  const subjects = await findSubjects(ports, arrival, { lane: choice.lane, options }, opened);
  const [one, two] = subjects.map(required);
  const pair = decidingPair(asked.face_policy, metric, one!, two!);

  return {
    verified: pair.distance <= threshold,
    distance: pair.distance,
    threshold,
    model: choice.model.name,
    detector_backend: choice.detector.name,
    similarity_metric: metric,
    facial_areas: { img1: pair.one.area, img2: pair.two.area },
    time: secondsSince(arrival, ports.clock.now()),
    request_id: arrival.requestId,
  };
}
