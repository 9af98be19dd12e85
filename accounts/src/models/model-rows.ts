import type { ModelSelection } from "./allowlist.ts";
import type { AllowlistReply } from "./allowlist-store.ts";

/**
 * Returns a row for each model, then for each detector, that one of the ingresses has loaded. Several states
 * stand beside each other where ingresses differ, as while one of them starts.
 */
export const modelRows = (replies: AllowlistReply[]): ModelRow[] => [
  ...rowsOf("model", "models", replies),
  ...rowsOf("detector", "detectors", replies),
];

function rowsOf(noun: ModelRow["noun"], kind: keyof ModelSelection, replies: AllowlistReply[]): ModelRow[] {
  const names = [...new Set(replies.flatMap(({ loaded }) => loaded[kind].names))];
  return names.map((name) => {
    const having = replies.filter(({ loaded }) => loaded[kind].names.includes(name));
    const states = new Set(having.map(({ enabled }) => stateOf(name, enabled[kind])));
    return { noun, name, states: [...states], loadedBy: having.length };
  });
}

function stateOf(name: string, enabled: ModelSelection["models"]): ModelState {
  if (enabled.default === name) return "default";
  return enabled.names.includes(name) ? "enabled" : "disabled";
}

type ModelState = "default" | "enabled" | "disabled";

/** `loadedBy`: how many of the ingresses have loaded it. */
export type ModelRow = { noun: "model" | "detector"; name: string; states: ModelState[]; loadedBy: number };
