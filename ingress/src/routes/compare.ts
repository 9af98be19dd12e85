import { type CompareReply, CompareRequest } from "@faceline/contracts/http/compare";
import type { FastifyRequest } from "fastify";
import { secondsSince } from "../http/arrival.ts";
import { readBody } from "../http/body.ts";
import type { Given } from "../images/inputs.ts";
import { ruleOf } from "../offer.ts";
import { placeOf, Refusal, required } from "../refusal.ts";
import { findSubjects } from "../subjects.ts";
import { firstRefusal, ranking } from "../verdict/ranking.ts";
import type { SeenFace, Subject } from "../verdict/subject.ts";
import { readCandidates } from "./candidates.ts";
import type { Desk } from "./desk.ts";

/** POST /compare: which of many is nearest to one? */
export async function compare(desk: Desk, request: FastifyRequest): Promise<CompareReply> {
  const { ports, settings, offer, inputs } = desk;
  const arrival = request.arrival!;
  const asked = readBody(CompareRequest, request.body);
  const choice = offer.choose(asked);
  const rule = ruleOf(asked, choice);
  const candidates = readCandidates(asked.candidates, settings);

  const givens = [sourceOf(asked), ...candidates.map(({ given }) => given)];
  const [source, ...others] = await inputs.open(givens, choice.model.embedding_size);
  const from = required(source!);
  // Nothing to compare with: no worker need look at the source.
  if (others.every((other) => other instanceof Refusal)) throw firstRefusal(others);

  const options = {
    align: asked.align,
    enforceDetection: asked.enforce_detection,
    facesMax: settings.FACES_MAX,
    // An index is one among all that are there.
    fullResolution: asked.face_index > 0,
  };
  const search = { lane: choice.lane, options };
  const [shown, ...subjects] = await findSubjects(ports, arrival, search, [from, ...others]);
  const face = faceAt(required(shown!), asked.face_index);
  const contenders = candidates.map(({ id }, index) => ({ id, subject: subjects[index]! }));
  const { results, best_match } = ranking(face.vector, contenders, rule);

  return {
    model_name: choice.model.name,
    metric: rule.metric,
    source: {
      type: from.kind,
      vector_length: face.vector.length,
      face_index: from.kind === "image" ? asked.face_index : null,
    },
    results,
    threshold: rule.threshold,
    best_match,
    time: secondsSince(arrival, ports.clock.now()),
    request_id: arrival.requestId,
  };
}

function sourceOf({ img, vector }: CompareRequest): Given {
  if (img !== undefined && vector !== undefined) {
    throw new Refusal("invalid_request", "The source is img or vector, not both.", { field: "vector" });
  }
  const field = vector === undefined ? "img" : "vector";
  return { place: placeOf(field), value: vector ?? img };
}

function faceAt({ faces, place }: Subject, index: number): SeenFace {
  // A vector is one face, whichever was asked for.
  const face = faces[0].area === null ? faces[0] : faces[index];
  if (face !== undefined) return face;
  const detail = `face_index must be less than ${faces.length}, the number of faces in ${place.called}.`;
  throw new Refusal("invalid_request", detail, { field: "face_index" });
}
