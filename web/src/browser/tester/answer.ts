import type { RateEvidence } from "../../tester/rarity.ts";
import type { ResponseBody } from "../../tester/response-body.ts";
import type { RequestFacts } from "./evidence.ts";
import type { Image } from "./image.ts";

/** A response with what the page knows about its request. */
export type Answer = {
  body: ResponseBody;
  /** The images as they are shown, in the order of the request. */
  images: Image[];
  /** Names of the people that the candidates show; "" for none. */
  people: string[];
  /** The model's thresholds, and the effect of moving one. */
  scale: ScaleFacts;
  evidence: RateEvidence | null;
  request: RequestFacts;
  response: { body: ResponseBody; serverTiming: string; measuredMs: number | undefined };
};

export type ScaleFacts = {
  /** The model's own threshold. */
  own: number;
  /** The largest that the service accepts. */
  max: number;
  /** Runs while the threshold moves; undefined: back to the model's own. */
  moved: (threshold: number | undefined) => void;
};
