import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";

/**
 * A call that ends without its answer, in the words that the client reads. Whoever finds the reason throws it; one
 * error handler turns it into the reply. The detail never repeats what was sent.
 */
export class Refusal extends Error {
  override name = "Refusal";
  readonly code: ErrorCode;
  readonly about: RefusalAbout;

  constructor(code: ErrorCode, detail: string, about: RefusalAbout = {}) {
    super(detail);
    this.code = code;
    this.about = about;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** Where a part may fail alone (a candidate of /compare), its refusal is a value until somebody needs the part. */
export function required<T>(part: T | Refusal): T {
  if (part instanceof Refusal) throw part;
  return part;
}

export type RefusalAbout = {
  /** The field at fault. */
  field?: string;
  /** The image or candidate at fault, by its place in the request. */
  index?: number;
  /** With every 429 and 503: how soon a second try could go better. */
  retryAfterMs?: number;
  /** With a 405. */
  allow?: string[];
};

/** An input of a call: how errors name it. */
export type Place = {
  field: string;
  index?: number;
  /** In a sentence: "img1", "candidate 3". */
  called: string;
};

/** Of a field that holds one input. Errors count img1 and img2 as they count candidates: 0 and 1. */
export function placeOf(field: string): Place {
  const index = ["img1", "img2"].indexOf(field);
  return index === -1 ? { field, called: field } : { field, index, called: field };
}

export function refusalAt(place: Place, code: ErrorCode, detail: string): Refusal {
  const { field, index } = place;
  return new Refusal(code, detail, index === undefined ? { field } : { field, index });
}
