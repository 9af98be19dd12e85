import { CompareResponse } from "@faceline/contracts/http/compare";
import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import { Problem } from "@faceline/contracts/http/problem";
import { RepresentResponse } from "@faceline/contracts/http/represent";
import { VerifyResponse } from "@faceline/contracts/http/verify";
import { type HostileCall, marker } from "./hostile-call.ts";

/** Sends a hostile call. Returns how its outcome differs from the expected one, or undefined. */
export async function send({ address, key }: Server, call: HostileCall): Promise<Fault | undefined> {
  const headers = { "x-api-key": key, "content-type": "application/json", ...call.headers };
  const present = Object.entries(headers).filter(([, value]) => value !== "");
  const body = call.body?.();
  const startedAt = performance.now();
  const fault = (what: string): Fault => ({ call: call.name, what, tookMs: performance.now() - startedAt });
  try {
    const response = await fetch(`${address}${call.path}`, {
      method: call.method ?? "POST",
      headers: present,
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const text = await response.text();
    const whole = `${text}${JSON.stringify([...response.headers])}`;
    if (whole.includes(marker)) return fault(`the response contains the marker: ${whole.slice(0, 400)}`);
    const outcome = outcomeOf(call.path, response.status, text);
    if (outcome === call.ends || (call.ends === "documented" && blamesCaller(outcome))) return undefined;
    return fault(`it ended with ${outcome}, not ${call.ends}: ${text.slice(0, 200)}`);
  } catch (error) {
    const { name, cause } = error as Error;
    return fault(
      `there was no answer: ${name} ${String((cause as NodeJS.ErrnoException | undefined)?.code)}`,
    );
  }
}

/** Only ends a call that hangs, on a busy machine too. */
const answerWithinMs = 120_000;

/**
 * The outcome: "ok" for a valid answer of the path, or the code of a valid problem; else what is wrong with
 * the response.
 */
function outcomeOf(path: string, status: number, text: string): string {
  const body = JSON.parse(text) as unknown;
  if (status === 200) return responses[path]?.safeParse(body).success ? "ok" : "200 with another shape";
  const problem = Problem.strict().safeParse(body);
  if (!problem.success) return `${status} with another shape`;
  const { error } = problem.data;
  return errorTable[error].status === status ? error : `${error} with status ${status}`;
}

const responses: Record<string, typeof VerifyResponse | typeof RepresentResponse | typeof CompareResponse> = {
  "/verify": VerifyResponse,
  "/represent": RepresentResponse,
  "/compare": CompareResponse,
};

const blamesCaller = (outcome: string): boolean =>
  outcome === "ok" || (outcome in errorTable && errorTable[outcome as ErrorCode].status < 500);

type Server = { address: string; key: string };
type Fault = { call: string; what: string; tookMs: number };
