import { isUtf8 } from "node:buffer";
import { formLists } from "@faceline/contracts/http/form-fields";
import { parse } from "secure-json-parse";
import { ApiError } from "../call/api-error.ts";
import type { Slab, SlabPool } from "../memory/slab-pool.ts";
import { parseWithImages } from "./json-images.ts";
import { type BodyLimits, type ExceededLimit, type JsonLimits, JsonScan, jsonLimits } from "./json-limits.ts";

/**
 * Parses the JSON of one request body. The bytes are checked against limits before they are parsed, so that
 * no body takes many times its size in memory.
 */
export class JsonParser {
  readonly #limits: JsonLimits;
  readonly #scan: JsonScan;

  constructor(limits: BodyLimits) {
    this.#limits = jsonLimits(limits);
    this.#scan = new JsonScan(this.#limits);
  }

  /**
   * Returns the parsed value; of a key that occurs twice the last one counts. Throws `invalid_json`, or the
   * error of the limit that the bytes exceed. `subject` names what holds the JSON in errors.
   */
  parse(bytes: Buffer, subject = "The body"): unknown {
    this.#check(bytes, subject);
    return this.#parseText(bytes.toString("utf8"), subject);
  }

  /** The same for a whole body, whose images become bytes where that is quicker: see `parseWithImages`. */
  parseBody(bytes: Buffer, pool: SlabPool): ParsedBody {
    const subject = "The body";
    this.#check(bytes, subject);
    const parse = (text: string) => this.#parseText(text, subject);
    const parsed = parseWithImages(bytes, this.#scan.longStrings, { pool, parse });
    return parsed ?? { body: parse(bytes.toString("utf8")) };
  }

  /** Throws what `parse` throws before it parses. */
  #check(bytes: Buffer, subject: string): void {
    if (bytes.length === 0) throw new ApiError("invalid_json", `${subject} is empty.`);
    if (!isUtf8(bytes)) throw new ApiError("invalid_json", `${subject} is not UTF-8.`);
    const exceeded = this.#scan.exceeded(bytes);
    if (exceeded !== undefined) throw this.#limitError(exceeded);
  }

  #parseText(text: string, subject: string): unknown {
    try {
      // `secure-json-parse` refuses `__proto__` and `constructor.prototype` as keys. Its search takes longer
      // than parsing.
      return (this.#scan.mayHavePrototypeKey ? parse(text) : JSON.parse(text)) as unknown;
    } catch {
      throw new ApiError("invalid_json", `${subject} is not valid JSON.`);
    }
  }

  #limitError(exceeded: ExceededLimit): ApiError {
    const { depthMax, itemsMax, listsMax, stringsMax, valuesMax } = this.#limits;
    switch (exceeded.kind) {
      case "items":
        if (formLists.has(exceeded.field ?? "")) return tooManyCandidatesError(itemsMax);
        return tooMuchError(`more than ${itemsMax} values in one list or object`);
      case "depth":
        return tooMuchError(`lists and objects more than ${depthMax} deep`);
      case "lists":
        return tooMuchError(`more than ${listsMax} lists and objects`);
      case "strings":
        return tooMuchError(`more than ${stringsMax} texts`);
      case "values":
        return new ApiError(
          "invalid_vector",
          `The body holds more than ${valuesMax} numbers: more than the embeddings of its models.`,
        );
    }
  }
}

/** A body, and the slab that its images are in, if they are in one: the receiver must release it. */
export type ParsedBody = { body: unknown; slab?: Slab | undefined };

export const tooManyCandidatesError = (max: number): ApiError =>
  new ApiError("too_many_candidates", `A request may have at most ${max} candidates.`, {
    field: "candidates",
  });

const tooMuchError = (what: string): ApiError =>
  new ApiError("invalid_request", `The body holds ${what}: no request needs that many.`);
