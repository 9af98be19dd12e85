import { Image } from "@faceline/contracts/http/image";
import { isVector } from "@faceline/contracts/http/vector";
import { type Place, Refusal, refusalAt } from "../refusal.ts";
import type { HttpSettings } from "../settings.ts";
import { checkHeader } from "./header.ts";
import { imageBytes } from "./source.ts";
import { Turnstile } from "./turnstile.ts";

/**
 * Opens what a caller gave as face: an image, known by its header to be worth decoding, or a vector of the model's
 * length. All of it before anything is queued.
 */
export class Inputs {
  readonly #settings: HttpSettings;
  readonly #headers: Turnstile;

  constructor(settings: HttpSettings) {
    this.#settings = settings;
    this.#headers = new Turnstile({
      insideMax: settings.HEADER_CHECKS_MAX,
      waitingMax: settings.HEADER_CHECKS_WAITING_MAX,
    });
  }

  /** In order. An input that is at fault is its Refusal: the caller decides whether the call ends with it. */
  open(givens: Given[], vectorLength: number): Promise<(Input | Refusal)[]> {
    return Promise.all(
      givens.map(async ({ place, value }) => {
        try {
          if (Array.isArray(value)) return this.#vector(value, place, vectorLength);
          return await this.#image(value, place);
        } catch (error) {
          // What is not the input's fault ends the call.
          if (error instanceof Refusal && error.status < 500) return error;
          throw error;
        }
      }),
    );
  }

  #vector(numbers: unknown[], place: Place, vectorLength: number): Input {
    const { VECTOR_LENGTH_MAX } = this.#settings;
    if (numbers.length > VECTOR_LENGTH_MAX || !isVector(numbers)) {
      const detail = `${place.called} must be a list of 1 to ${VECTOR_LENGTH_MAX} finite numbers.`;
      throw refusalAt(place, "invalid_vector", detail);
    }
    if (numbers.length === vectorLength) return { kind: "vector", place, vector: numbers };
    const detail = `${place.called} has ${numbers.length} numbers; the model's vectors have ${vectorLength}.`;
    throw refusalAt(place, "dimension_mismatch", detail);
  }

  async #image(value: unknown, place: Place): Promise<Input> {
    const read = Image.optional().safeParse(value ?? undefined);
    if (!read.success) {
      throw refusalAt(place, "invalid_request", `${place.called} must be an image or a vector.`);
    }
    const image = imageBytes(read.data, place, this.#settings);
    await checkHeader(image, place, this.#settings, this.#headers);
    return { kind: "image", place, image };
  }
}

/** A value as it came, and where. */
export type Given = { place: Place; value: unknown };

export type Input =
  | { kind: "image"; place: Place; image: Buffer }
  | { kind: "vector"; place: Place; vector: number[] };
