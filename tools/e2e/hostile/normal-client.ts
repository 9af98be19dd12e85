import type { TestStack } from "../stack/stack.ts";

/** A normal client, which sends one valid call at a time. */
export class NormalClient {
  readonly #post: TestStack["post"];
  readonly #body: object;

  constructor({ post }: TestStack, [portrait, other]: [Buffer, Buffer]) {
    this.#post = post;
    this.#body = {
      img1: portrait.toString("base64"),
      img2: other.toString("base64"),
      detector_backend: "tiny",
    };
  }

  /** Sends a call and returns its status. */
  async call(): Promise<number> {
    return (await this.#post("/verify", this.#body)).status;
  }

  /** Sends calls until `finished` aborts. Returns their statuses. */
  async callUntil(finished: AbortSignal): Promise<number[]> {
    const statuses: number[] = [];
    while (!finished.aborted) statuses.push(await this.call());
    return statuses;
  }
}
