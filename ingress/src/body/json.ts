import { isUtf8 } from "node:buffer";
import { formLists } from "@faceline/contracts/http/form-fields";
import { parse } from "secure-json-parse";
import { ApiError } from "../call/api-error.ts";
import { jsonImageError } from "../images/base64-fault.ts";
import type { Slab, SlabPool } from "../memory/slab-pool.ts";
import { bodyKind, notJson, withoutByteOrderMark } from "./body-kind.ts";
import { jsonFault } from "./json-fault.ts";
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
    const json = this.#checked(bytes, subject);
    return this.#parseText(json.toString("utf8"), json, subject);
  }

  /** The same for a whole body, whose images become bytes if that is quicker: see `parseWithImages`. */
  parseBody(bytes: Buffer, pool: SlabPool): ParsedBody {
    const subject = "The body";
    const json = this.#checked(bytes, subject);
    const parse = (text: string) => this.#parseText(text, json, subject);
    const parsed = parseWithImages(json, this.#scan.longStrings, { pool, parse });
    return parsed ?? { body: parse(json.toString("utf8")) };
  }

  /** Returns the bytes without a byte order mark. Throws what `parse` throws before it parses. */
  #checked(bytes: Buffer, subject: string): Buffer {
    const json = withoutByteOrderMark(bytes);
    if (json.length === 0) throw new ApiError("invalid_json", `${subject} is empty.`);
    const hint = notJson[bodyKind(json) ?? "json"];
    if (hint !== undefined) throw new ApiError("invalid_json", `${subject} ${hint}.`);
    if (!isUtf8(json)) throw new ApiError("invalid_json", `${subject} is not UTF-8.`);
    const exceeded = this.#scan.exceeded(json);
    if (exceeded !== undefined) throw this.#limitError(exceeded);
    return json;
  }

  /** `whole`: the JSON that contains the text, for the position of a fault. */
  #parseText(text: string, whole: Buffer, subject: string): unknown {
    try {
      // `secure-json-parse` refuses `__proto__` and `constructor.prototype` as keys. Its search takes longer
      // than parsing.
      return (this.#scan.mayHavePrototypeKey ? parse(text) : JSON.parse(text)) as unknown;
    } catch {
      const fault = jsonFault(whole);
      const detail = fault
        ? `is not valid JSON: ${fault}`
        : "has a key such as __proto__, which is not accepted";
      throw new ApiError("invalid_json", `${subject} ${detail}.`);
    }
  }

  #limitError(exceeded: ExceededLimit): ApiError {
    const { depthMax, itemsMax, listsMax, stringsMax, valuesMax } = this.#limits;
    switch (exceeded.kind) {
      case "items":
        if (formLists.has(exceeded.field ?? "")) return tooManyCandidatesError(itemsMax);
        if (/^img[12]?$/.test(exceeded.field ?? "")) return jsonImageError(exceeded.field!);
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
          `The body holds more than ${valuesMax} numbers: no embeddings have as many, and an image is sent as Base64.`,
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
