import { CompareReply } from "@faceline/contracts/http/compare";
import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import { Problem } from "@faceline/contracts/http/problem";
import { RepresentReply } from "@faceline/contracts/http/represent";
import { VerifyReply } from "@faceline/contracts/http/verify";
import { type HostileCall, marker } from "./call.ts";

/** Sends it. Resolves with what is wrong with its end, or undefined. */
export async function send({ address, key }: Server, call: HostileCall): Promise<Fault | undefined> {
  const headers = { "x-api-key": key, "content-type": "application/json", ...call.headers };
  const given = Object.entries(headers).filter(([, value]) => value !== "");
  const body = call.body?.();
  const startedAt = performance.now();
  const fault = (what: string): Fault => ({ call: call.name, what, tookMs: performance.now() - startedAt });
  try {
    const reply = await fetch(`${address}${call.path}`, {
      method: call.method ?? "POST",
      headers: given,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const text = await reply.text();
    const said = `${text}${JSON.stringify([...reply.headers])}`;
    if (said.includes(marker)) return fault(`it said what it was sent: ${said.slice(0, 400)}`);
    const ended = endOf(call.path, reply.status, text);
    if (ended === call.ends || (call.ends === "documented" && isTheCallers(ended))) return undefined;
    return fault(`it ended with ${ended}, not ${call.ends}: ${text.slice(0, 200)}`);
  } catch (error) {
    const { name, cause } = error as Error;
    return fault(
      `there was no answer: ${name} ${String((cause as NodeJS.ErrnoException | undefined)?.code)}`,
    );
  }
}

/** An honest call takes some 50 ms. Two seconds are promised on a machine of its own; this one may be shared by five. */
const answerWithinMs = 2_000 * 5;

/** The code, where the one error shape came with the status of its code; `ok`, where the answer is what the path gives. */
function endOf(path: string, status: number, text: string): string {
  const body = JSON.parse(text) as unknown;
  if (status === 200) return replies[path]?.safeParse(body).success ? "ok" : "200 with another shape";
  const problem = Problem.strict().safeParse(body);
  if (!problem.success) return `${status} with another shape`;
  const { error } = problem.data;
  return errorTable[error].status === status ? error : `${error} with status ${status}`;
}

const replies: Record<string, typeof VerifyReply | typeof RepresentReply | typeof CompareReply> = {
  "/verify": VerifyReply,
  "/represent": RepresentReply,
  "/compare": CompareReply,
};

const isTheCallers = (ended: string): boolean =>
  ended === "ok" || (ended in errorTable && errorTable[ended as ErrorCode].status < 500);

type Server = { address: string; key: string };
export type Fault = { call: string; what: string; tookMs: number };
