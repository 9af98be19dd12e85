import {
  type AdjustablePoolSettings,
  PoolSettings,
  SettingsRefusal,
} from "@faceline/runtime/operators/pool-settings";

/**
 * Reads and changes the settings of one batcher over its operators' port. Every method throws an Error with a
 * sentence for the operator that names the address.
 */
export class SettingsClient {
  readonly url: string;
  readonly #token: string;
  readonly #by: string;

  constructor(url: string, { token, by }: { token: string; by: string }) {
    if (!URL.canParse(url)) throw new Error(`--url ${url} is no address, such as http://127.0.0.1:9480.`);
    this.url = new URL(url).origin;
    this.#token = token;
    this.#by = by;
  }

  read(): Promise<PoolSettings> {
    return this.#request("GET");
  }

  /** `revision`: that of the settings which were read. */
  change(revision: number, settings: AdjustablePoolSettings): Promise<PoolSettings> {
    return this.#request("PUT", JSON.stringify({ revision, settings }));
  }

  async #request(method: string, body?: string): Promise<PoolSettings> {
    const headers = { authorization: `Bearer ${this.#token}`, "x-operator": this.#by };
    const signal = AbortSignal.timeout(replyWithinMs);
    const init = { method, headers, signal, redirect: "error" as const, ...(body !== undefined && { body }) };
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.url}/settings`, init);
      text = await response.text();
    } catch (cause) {
      const { code } = ((cause as Error).cause ?? {}) as { code?: string };
      const reason = signal.aborted
        ? `no response within ${replyWithinMs} ms`
        : (code ?? "the connection failed");
      throw new Error(`${this.url} cannot be reached (${reason}). Is OPERATORS_PORT of the batcher set?`, {
        cause,
      });
    }
    if (response.status === 404) throw new Error(`${this.url} is not the operators' port of a batcher.`);
    if (response.status === 401) throw new Error(`${this.url} refuses this token.`);
    const content = parsed(text);
    if (response.ok) {
      const { success, data } = PoolSettings.safeParse(content);
      if (!success) throw new Error(`${this.url} is a batcher of another version.`);
      return data;
    }
    const refusal = SettingsRefusal.safeParse(content);
    const reason = refusal.success ? refusal.data.error : text.trim().slice(0, reasonMax);
    throw new Error(`${this.url} has refused: ${reason}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const replyWithinMs = 5_000;
const reasonMax = 200;
