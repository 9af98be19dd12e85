import type { LivePart, LiveState } from "../state.ts";
import { batcherSections } from "./batcher.ts";
import { duration } from "./format.ts";
import { inferenceSections } from "./inference.ts";
import { ingressSections } from "./ingress.ts";
import { node, type ViewNode } from "./node.ts";
import { processSection } from "./process.ts";
import { processStatus } from "./process-status.ts";

/** Returns everything below the heading of the page. */
export function pageView(state: LiveState): ViewNode {
  const { level, title, detail } = processStatus(state);
  return node(
    "div",
    { class: "view" },
    node(
      "section",
      { class: `status ${level}` },
      node("p", { role: "status", class: "title" }, title),
      node("p", {}, detail),
    ),
    ...sectionsOf(state.part),
    processSection(state),
  );
}

/** Subject of the page: `batcher of pool default`. */
export function subjectOf(part: LivePart): string {
  return part.kind === "ingress" ? "ingress" : `${nameOf(part)} of pool ${part.pool}`;
}

const nameOf = ({ kind }: LivePart): string => (kind === "inference" ? "worker" : kind);

/** Returns whether what is shown is current, and what a reader should know if it is not. */
export function linkWords(link: Link): { badge: string; notice?: string; isStale: boolean } {
  switch (link.kind) {
    case "loading":
      return { badge: "loading", isStale: false };
    case "live":
      return {
        badge: "live",
        isStale: false,
        ...(link.restarted ? { notice: "The process was restarted: its counts started again at zero." } : {}),
      };
    case "late":
      return { badge: `last response ${duration(link.silentMs)} ago`, isStale: true };
    case "gone":
      return {
        badge: "gone",
        isStale: true,
        notice: `This process does not answer. What is shown is ${duration(link.silentMs)} old. The page retries every second.`,
      };
    case "refused":
      return { badge: "token needed", isStale: true };
    case "hidden":
      return { badge: "paused", isStale: true };
  }
}

/** Whether the process answers the page. `silentMs`: since its last answer. */
export type Link =
  | { kind: "loading" }
  | { kind: "live"; restarted: boolean }
  | { kind: "late"; silentMs: number }
  | { kind: "gone"; silentMs: number }
  | { kind: "refused" }
  /** Nobody sees the page, so it sends no requests. */
  | { kind: "hidden" };

function sectionsOf(part: LivePart): (ViewNode | undefined)[] {
  switch (part.kind) {
    case "batcher":
      return batcherSections(part);
    case "ingress":
      return ingressSections(part);
    case "inference":
      return inferenceSections(part);
  }
}
