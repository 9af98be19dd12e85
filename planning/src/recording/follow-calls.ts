// Covered by ../commands/record.test.ts.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { type RecordedCall, RecordedLine } from "@faceline/contracts/recording/recorded-call";

/**
 * Reads the calls of an ingress from its operators' port until `stop` aborts. Throws an Error with a sentence
 * where the port does not answer, or ends.
 */
export async function followCalls(port: string, options: FollowOptions): Promise<void> {
  const { salt, token, stop, onCall, onDropped } = options;
  const url = new URL(`/calls?salt=${salt}`, port);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await fetch(url, { headers, signal: stop }).catch((cause: Error) => {
    throw new Error(`${url.origin}/calls cannot be read: ${cause.message}`, { cause });
  });
  if (!reply.ok || reply.body === null) {
    throw new Error(`${url.origin}/calls answered ${reply.status}: ${(await reply.text()).trim()}`);
  }
  try {
    const lines = createInterface({
      input: Readable.fromWeb(reply.body),
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
  onCall(call: RecordedCall): void;
  onDropped(count: number): void;
};
