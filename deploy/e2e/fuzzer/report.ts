import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** What was sent and answered, by endpoint (`POST /verify`), from the events that schemathesis writes. */
export async function readReport(file: string): Promise<Map<string, Fuzzed>> {
  const endpoints = new Map<string, Fuzzed>();
  for await (const line of createInterface(createReadStream(file))) {
    const { ScenarioFinished: scenario } = JSON.parse(line) as Event;
    const { label, interactions = {} } = scenario?.recorder ?? {};
    if (label === undefined) continue;
    const fuzzed = endpoints.get(label) ?? { calls: 0, statuses: {}, refusedAtLeisure: 0 };
    endpoints.set(label, fuzzed);
    for (const { request, response } of Object.values(interactions)) {
      if (response === null) continue;
      const status = response.status_code;
      fuzzed.calls++;
      fuzzed.statuses[status] = (fuzzed.statuses[status] ?? 0) + 1;
      if (status >= 500 && !hurried(request)) fuzzed.refusedAtLeisure++;
    }
  }
  return endpoints;
}

/** Who leaves the service less than this may well be refused: a busy machine needs longer for a picture. */
const leisureMs = 10_000;

const hurried = ({ headers }: Request): boolean =>
  Object.entries(headers).some(
    ([name, [ms]]) => name.toLowerCase() === "x-request-timeout-ms" && Number(ms) < leisureMs,
  );

export type Fuzzed = {
  calls: number;
  statuses: Record<number, number>;
  /** 503 and 504 to calls that set no short deadline. */
  refusedAtLeisure: number;
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
