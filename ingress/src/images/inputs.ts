import type { DistanceMetric } from "@faceline/contracts/http/detection-fields";
import type { Image } from "@faceline/contracts/http/image";
import { type VectorNumbers, vectorShapeFault } from "@faceline/contracts/http/vector";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";
import { ApiError, type InputRef, inputError } from "../call/api-error.ts";
import { vectorFault } from "../matching/vector-fault.ts";
import { imageBytes } from "./base64.ts";
import { checkHeader, type HeaderLimits } from "./header.ts";

/**
 * Turns what a client sent for a face into an Input: an image whose header was checked, or a vector of the
 * model's length. Runs before anything is queued.
 */
export class InputReader {
  readonly #limits: InputLimits;

  constructor(limits: InputLimits) {
    this.#limits = limits;
  }

  /**
   * Returns the inputs in order. An input at fault is an ApiError: the endpoint decides whether the call ends
   * with it. Throws an ApiError that is not the fault of an input (a status of 500 or more).
   */
  readInputs(values: (InputValue | ApiError)[], comparison: Comparison): (Input | ApiError)[] {
    return values.map((input) => {
      if (input instanceof ApiError) return input;
      try {
        const { ref, value, modelVersion } = input;
        if (Array.isArray(value) || value instanceof Float32Array)
          return vectorInput(value, ref, { ...comparison, own: modelVersion });
        return this.#image(value, ref);
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) return error;
        throw error;
      }
    });
  }

  #image(value: Image | undefined, ref: InputRef): Input {
    const image = imageBytes(value, ref, this.#limits);
    return { kind: "image", ref, image, ...checkHeader(image, ref, this.#limits) };
  }
}

function vectorInput(
  vector: VectorNumbers,
  ref: InputRef,
  { model, metric, isModelNamed, modelVersion, own }: Comparison & { own: string | undefined },
): Input {
  const size = model.embedding_size;
  if (vector.length !== size) {
    const detail = `${ref.label} has ${vector.length} numbers; the model's embeddings have ${size}.`;
    throw inputError(ref, "dimension_mismatch", detail);
  }
  const fault = vectorFault(vector, model, metric);
  if (fault !== undefined) throw inputError(ref, "invalid_vector", `${ref.label} ${fault}`);
  if (own !== undefined && own !== modelVersion)
    throw inputError(
      ref,
      "model_not_allowed",
      `${ref.label} has a different model_version than the request.`,
    );
  if (own === undefined && !isModelNamed) throw inputError(ref, "missing_model_version", unnamed(ref));
  return { kind: "vector", ref, vector };
}

const unnamed = ({ label }: InputRef): string =>
  `${label} is an embedding of an unnamed model: send the model_version that /represent returned with it, or model_name.`;

export const invalidVectorError = (ref: InputRef, value: unknown, lengthMax: number): ApiError =>
  inputError(ref, "invalid_vector", `${ref.label} ${vectorShapeFault(value, lengthMax)}.`);

/** An input as the request schema has parsed it. Undefined: an image that is absent. */
export type InputValue = {
  ref: InputRef;
  value: Image | VectorNumbers | undefined;
  /** The version of the vector, if it has its own. */
  modelVersion?: string | undefined;
};

/** Requirements on the vectors of a request. `isModelNamed`: by a field of the request. */
type Comparison = {
  model: EmbeddingModel;
  metric: DistanceMetric;
  isModelNamed: boolean;
  modelVersion: string | undefined;
};

export type Input =
  /** `cost`: that of decoding it, see decodingCost. */
  | { kind: "image"; ref: InputRef; image: Buffer; cost: number; pixels: number; longSidePx: number }
  | { kind: "vector"; ref: InputRef; vector: VectorNumbers };

type InputLimits = HeaderLimits & { IMAGE_BYTES_MAX: number };
