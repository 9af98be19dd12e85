import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { type RecordedCall, RecordedLine } from "@faceline/contracts/recording/recorded-call";

/**
 * Reads the calls of an ingress from its operators' port until `stop` aborts. Throws an Error with a sentence
 * if the port does not answer, or ends.
 */
export async function followCalls(port: string, options: FollowOptions): Promise<void> {
  const { salt, token, stop, onOpen, onCall, onDropped } = options;
  const url = new URL(`/calls?salt=${salt}`, port);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { headers, signal: stop }).catch((cause: Error) => {
    if (stop.aborted) return undefined;
    const { code = "the connection failed" } = (cause.cause ?? {}) as { code?: string };
    throw new Error(`${url.origin} cannot be reached (${code}). Is OPERATORS_PORT of the ingress set?`, {
      cause,
    });
  });
  if (response === undefined) return;
  if (response.status === 404) throw new Error(`${url.origin} is not the operators' port of an ingress.`);
  if (response.status === 401) {
    const what = token === undefined ? "needs the operators' token: --token-file FILE" : "refuses this token";
    throw new Error(`${url.origin} ${what}.`);
  }
  if (!response.ok || response.body === null) {
    throw new Error(`${url.origin}/calls answered ${response.status}: ${(await response.text()).trim()}`);
  }
  onOpen();
  try {
    const lines = createInterface({
      input: Readable.fromWeb(response.body),
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    for await (const line of lines) {
      if (line === "") continue;
      const content = RecordedLine.parse(JSON.parse(line));
      if ("dropped" in content) onDropped(content.dropped);
      else onCall(content);
    }
  } catch (error) {
    if (!stop.aborted) throw new Error(`${url.origin}/calls broke off`, { cause: error });
  }
  if (!stop.aborted) throw new Error(`${url.origin}/calls ended: did the ingress stop?`);
}

type FollowOptions = {
  salt: string;
  token: string | undefined;
  stop: AbortSignal;
  /** Once the ingress sends its calls. */
  onOpen(): void;
  onCall(call: RecordedCall): void;
  onDropped(count: number): void;
};
