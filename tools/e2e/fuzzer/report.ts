import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** Counts calls and statuses by endpoint (`POST /verify`), from the events that schemathesis writes. */
export async function readReport(file: string): Promise<Map<string, EndpointResult>> {
  const endpoints = new Map<string, EndpointResult>();
  for await (const line of createInterface(createReadStream(file))) {
    const { ScenarioFinished: scenario } = JSON.parse(line) as Event;
    const { label, interactions = {} } = scenario?.recorder ?? {};
    if (label === undefined) continue;
    const fuzzed = endpoints.get(label) ?? { calls: 0, statuses: {}, refusedWithTimeLeft: 0 };
    endpoints.set(label, fuzzed);
    for (const { request, response } of Object.values(interactions)) {
      if (response === null) continue;
      const status = response.status_code;
      fuzzed.calls++;
      fuzzed.statuses[status] = (fuzzed.statuses[status] ?? 0) + 1;
      if (status >= 500 && !hasShortDeadline(request)) fuzzed.refusedWithTimeLeft++;
    }
  }
  return endpoints;
}

/** A call with a shorter deadline may be rejected: a busy machine needs longer for an image. */
const shortDeadlineMs = 10_000;

const hasShortDeadline = ({ headers }: Request): boolean =>
  Object.entries(headers).some(
    ([name, [ms]]) => name.toLowerCase() === "x-request-timeout-ms" && Number(ms) < shortDeadlineMs,
  );

type EndpointResult = {
  calls: number;
  statuses: Record<number, number>;
  /** Answers 503 and 504 to calls without a short deadline. */
  refusedWithTimeLeft: number;
};

type Request = { headers: Record<string, string[]> };

type Event = {
  ScenarioFinished?: {
    recorder?: {
      label?: string;
      interactions?: Record<string, { request: Request; response: { status_code: number } | null }>;
    };
  };
};
