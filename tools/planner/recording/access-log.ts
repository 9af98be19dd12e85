import type { RecordedCall, RecordedOutcome } from "@faceline/contracts/recording/recorded-call";
import { LaneId } from "@faceline/contracts/wire/ids";

/**
 * Parses a line of an access log in the Common or Combined Log Format, as nginx and Apache write them by
 * default and HAProxy with `option httplog clf`; a prefix, as of syslog, is skipped. Undefined for anything
 * but a POST of /represent, /verify or /compare. Such a log knows neither
 * pictures nor deadlines, so these are as given; /compare counts as two pictures. The instant is that of the
 * line, in whole seconds, plus `random` of one. A tenant is the user where there is one, else the address.
 */
export function parseAccessLine(
  line: string,
  given: GivenOfCalls,
  random: () => number,
): RecordedCall | undefined {
  const [, host, user, time, path, status] = linePattern.exec(line) ?? [];
  if (host === undefined) return undefined;
  const at = instantOf(time!);
  const outcome = outcomeOf(Number(status));
  if (at === undefined || outcome === undefined) return undefined;
  const size: [number, number] = [given.bytes, given.pixels];
  return {
    at: at + 1_000 * random(),
    tenant: hashOf(user === "-" ? host : user!),
    lane: given.lane,
    deadlineMs: given.deadlineMs,
    pictures: path === "represent" ? [size] : [size, size],
    outcome,
  };
}

const linePattern =
  /(?:^|\s)(\S+) \S+ (\S+) \[([^\]]+)\] "POST \/(represent|verify|compare)(?:\?\S*)? HTTP\/[\d.]+" (\d{3}) /;

/**
 * Whether a line is of the log of a Faceline service. No trace can be made of that: it names no tenant and no
 * picture, calls that were answered are in it at LOG_LEVEL=debug only, and refused ones are counted together.
 */
export function isServiceLogLine(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    const { service, level } = JSON.parse(line) as { service?: unknown; level?: unknown };
    return typeof level === "string" && services.some((each) => each === service);
  } catch {
    return false;
  }
}

const services = ["faceline-ingress", "faceline-batcher", "faceline-inference"];

/** `10/Oct/2026:13:55:36 -0700` as epoch ms. */
function instantOf(text: string): number | undefined {
  const [, day, month, year, time, zone] =
    /^(\d\d)\/(\w{3})\/(\d{4}):([\d:]{8}) ([+-]\d{4})$/.exec(text) ?? [];
  const at = Date.parse(`${day} ${month} ${year} ${time} ${zone}`);
  return Number.isNaN(at) ? undefined : at;
}

/** Undefined: the call reached no queue. 499 is nginx's for a client that left. */
function outcomeOf(status: number): RecordedOutcome | undefined {
  if (status === 200) return "answered";
  if (status === 499) return "left";
  if (status === 503) return "shed";
  if (status === 504) return "late";
  return status >= 500 ? "failed" : undefined;
}

/** FNV-1a, 32 bits: it only keeps tenants apart, and is not written down. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Properties of a call that an access log lacks. */
type GivenOfCalls = { lane: LaneId; deadlineMs: number; bytes: number; pixels: number };
