import type { LiveState } from "../state.ts";
import { bytes, duration, percent } from "./format.ts";
import { node, type ViewNode } from "./node.ts";

/** Section that the pages of all processes have. */
export function processSection(state: LiveState): ViewNode {
  const { process, version, revision, uptimeMs, checks, health } = state;
  const { memoryBytes, delayMs, redis } = health;
  const fact = (term: string, value: string) => node("div", {}, node("dt", {}, term), node("dd", {}, value));
  return node(
    "section",
    { class: "wide" },
    node("h2", {}, "This process"),
    node(
      "dl",
      { class: "facts" },
      fact("Id", process),
      fact("Version", revision === undefined ? version : `${version}, commit ${revision.slice(0, 12)}`),
      fact("Runs for", duration(uptimeMs)),
      fact(
        "Needs",
        Object.entries(checks)
          .map(([name, ok]) => `${name} ${ok ? "ok" : "NOT PROVED"}`)
          .join(", "),
      ),
      fact("Memory", bytes(memoryBytes)),
      fact(
        "Event loop delay, past 10 s",
        `${duration(delayMs.p50)} median, ${duration(delayMs.p99)} for 1 %, ${duration(delayMs.max)} at most`,
      ),
      ...(redis === undefined
        ? []
        : [
            fact(
              "Volatile Redis",
              `${bytes(redis.usedBytes)} of ${bytes(redis.maxBytes)} (${percent(redis.usedBytes / redis.maxBytes)})`,
            ),
          ]),
    ),
  );
}
