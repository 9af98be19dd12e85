import { createSession, type InferenceSession, Tensor } from "../onnxruntime.ts";
import { adaptedInput, adaptedOutput } from "./adapter.ts";

/** An adapted recogniser in an onnxruntime session, to look at what it gives. */
export class AdaptedSession implements AsyncDisposable {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  /** Throws onnxruntime's reason where it cannot load the file. */
  static async open(onnx: Uint8Array): Promise<AdaptedSession> {
    const options = { executionProviders: ["cpu"], intraOpNumThreads: 1, logSeverityLevel: 4 } as const;
    return new AdaptedSession(await createSession(onnx, options));
  }

  /** One embedding for each picture, all in one run. Pictures are uint8 RGB, px by px. */
  async embed(pictures: readonly Uint8Array[], px: number): Promise<Float32Array[]> {
    const rows = new Uint8Array(pictures.length * 3 * px * px);
    for (const [i, picture] of pictures.entries()) rows.set(picture, i * picture.length);
    const image = new Tensor("uint8", rows, [pictures.length, px, px, 3]);
    const { [adaptedOutput]: output } = await this.#session.run({ [adaptedInput]: image });
    const numbers = output!.data as Float32Array;
    const width = numbers.length / pictures.length;
    return pictures.map((_, i) => numbers.slice(i * width, (i + 1) * width));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.release();
  }
}
