import {
  RepresentQuery,
  type RepresentReply,
  RepresentRequest,
  type RepresentResult,
} from "@faceline/contracts/http/represent";
import { encodeEmbedding } from "@faceline/contracts/wire/face";
import type { FastifyRequest } from "fastify";
import { secondsSince } from "../http/arrival.ts";
import { readBody, readQuery } from "../http/body.ts";
import { placeOf, required } from "../refusal.ts";
import { findSubjects } from "../subjects.ts";
import { direction } from "../verdict/distance.ts";
import type { SeenFace } from "../verdict/subject.ts";
import type { Desk } from "./desk.ts";

/** POST /represent: the faces of an image, each with its embedding. */
export async function represent(
  desk: Desk,
  request: FastifyRequest,
): Promise<RepresentReply | RepresentResult[]> {
  const { ports, settings, offer, inputs } = desk;
  const arrival = request.arrival!;
  const { format } = readQuery(RepresentQuery, request.query);
  const asked = readBody(RepresentRequest, request.body);
  const choice = offer.choose(asked);

  const given = { place: placeOf("img"), value: asked.img };
  const opened = (await inputs.open([given], choice.model.embedding_size)).map(required);
  const options = {
    align: asked.align,
    enforceDetection: asked.enforce_detection,
    facesMax: Math.min(asked.max_faces ?? settings.FACES_MAX, settings.FACES_MAX),
    fullResolution: asked.max_faces !== 1,
  };
  const [subject] = await findSubjects(ports, arrival, { lane: choice.lane, options }, opened);

  const results = required(subject!).faces.map(
    (face): RepresentResult => ({
      embedding: embeddingOf(face, asked),
      facial_area: face.area!,
      face_confidence: face.confidence,
      model_name: choice.model.name,
    }),
  );
  if (format === "array") return results;
  return {
    results,
    model: choice.model.name,
    detector_backend: choice.detector.name,
    time: secondsSince(arrival, ports.clock.now()),
    request_id: arrival.requestId,
  };
}

function embeddingOf({ vector }: SeenFace, asked: RepresentRequest): number[] | string {
  const wanted = asked.l2_normalize ? direction(vector) : vector;
  switch (asked.embedding_format) {
    case "float":
      return Array.from(wanted);
    case "base64":
      return encodeEmbedding(Float32Array.from(wanted));
  }
}
