import { isUtf8 } from "node:buffer";
import { formLists } from "@faceline/contracts/http/form-fields";
import { parse } from "secure-json-parse";
import { Refusal } from "../refusal.ts";
import type { CandidateLimits } from "../routes/candidates.ts";
import { type Excess, type JsonBounds, JsonScan, jsonBounds } from "./json-scan.ts";

/** Reads the JSON of one body: looked through before it is parsed, so that nothing unpacks to many times its size. */
export class JsonReader {
  readonly #bounds: JsonBounds;
  readonly #scan: JsonScan;

  constructor(limits: JsonLimits) {
    this.#bounds = jsonBounds(limits);
    this.#scan = new JsonScan(this.#bounds);
  }

  /** `called` is what holds the JSON, in a sentence. Of a key that comes twice the last one counts. */
  read(bytes: Buffer, called = "The body"): unknown {
    if (bytes.length === 0) throw new Refusal("invalid_json", `${called} is empty.`);
    if (!isUtf8(bytes)) throw new Refusal("invalid_json", `${called} is not UTF-8.`);
    const excess = this.#scan.excessOf(bytes);
    if (excess !== undefined) throw this.#tooMuch(excess);
    try {
      const text = bytes.toString("utf8");
      // `__proto__` and `constructor.prototype` as keys are an error. Looking for them takes longer than parsing.
      return (this.#scan.mayNamePrototype ? parse(text) : JSON.parse(text)) as unknown;
    } catch {
      throw new Refusal("invalid_json", `${called} is not valid JSON.`);
    }
  }

  #tooMuch(excess: Excess): Refusal {
    const { depthMax, itemsMax, listsMax, textsMax, valuesMax } = this.#bounds;
    switch (excess.kind) {
      case "items":
        if (formLists.has(excess.field ?? "")) return tooManyCandidates(itemsMax);
        return tooMuch(`more than ${itemsMax} values in one list or object`);
      case "depth":
        return tooMuch(`lists and objects more than ${depthMax} deep`);
      case "lists":
        return tooMuch(`more than ${listsMax} lists and objects`);
      case "texts":
        return tooMuch(`more than ${textsMax} texts`);
      case "values":
        return new Refusal("invalid_vector", `The body holds more than ${valuesMax} numbers.`);
    }
  }
}

export const tooManyCandidates = (max: number) =>
  new Refusal("too_many_candidates", `A call takes at most ${max} candidates.`, { field: "candidates" });

const tooMuch = (what: string) =>
  new Refusal("invalid_request", `The body holds ${what}: no call needs as many.`);

export type JsonLimits = CandidateLimits & { VECTOR_LENGTH_MAX: number };
