import type { LiveState } from "@faceline/runtime/live/state";

/** Returns a function that reads all processes at once, at most once a second however many pages ask. */
export function processReadings(
  processes: readonly ProcessAddress[],
  readToken: () => string | undefined,
): () => Promise<ProcessReading[]> {
  let latest: Promise<ProcessReading[]> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (latest === undefined || now - readAt >= keptMs) {
      readAt = now;
      latest = Promise.all(processes.map((each) => readProcess(each, readToken())));
    }
    return latest;
  };
}

/** Reads the state of a process, or why it cannot be read. Never rejects. */
async function readProcess(address: ProcessAddress, token: string | undefined): Promise<ProcessReading> {
  try {
    const response = await fetch(`${address.origin}/live.json`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(responseMs),
    });
    if (response.ok) return { ...address, state: (await response.json()) as LiveState };
    const isRefused = response.status === 401;
    return { ...address, fault: isRefused ? refusedToken : `/live.json has status ${response.status}.` };
  } catch (error) {
    return { ...address, fault: faultOf(error as Error, address) };
  }
}

function faultOf(error: Error, { origin }: ProcessAddress): string {
  if (error.name === "TimeoutError") return `No response in ${responseMs / 1_000} s: it hangs, or lacks CPU.`;
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code;
  if (code !== "ECONNREFUSED") return `${origin} cannot be read (${code ?? error.name}).`;
  return `Nothing listens at ${new URL(origin).host}: the process is starting, or has ended.`;
}

const refusedToken = "It refuses the operators' token of npm start: it was started with another one.";
const responseMs = 2_000;
const keptMs = 1_000;

/** A process by the name that the launcher gives it, and the origin of its operators' port. */
export type ProcessAddress = { process: string; origin: string };

export type ProcessReading = ProcessAddress & ({ state: LiveState } | { fault: string });
