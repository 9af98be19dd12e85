import type { Stack } from "../stack.ts";

/** One honest caller: one call at a time, for as long as it is let. */
export class Honest {
  readonly #post: Stack["post"];
  readonly #body: object;

  constructor({ post }: Stack, [portrait, other]: [Buffer, Buffer]) {
    this.#post = post;
    this.#body = {
      img1: portrait.toString("base64"),
      img2: other.toString("base64"),
      detector_backend: "tiny",
    };
  }

  /** Resolves with the status. */
  async call(): Promise<number> {
    return (await this.#post("/verify", this.#body)).status;
  }

  /** Resolves with the status of every call that was made until then. */
  async callUntil(over: AbortSignal): Promise<number[]> {
    const ends: number[] = [];
    while (!over.aborted) ends.push(await this.call());
    return ends;
  }
}
