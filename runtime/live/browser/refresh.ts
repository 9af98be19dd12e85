import type { ViewNode } from "../view/node.ts";
import { patch } from "./patch.ts";

/** The links page: #now shows what the server says now, every two seconds while the page can be seen. */
const find = (id: string) => document.getElementById(id)!;

function showLink(kind: "live" | "gone"): void {
  find("link").textContent = kind;
  document.body.dataset["link"] = kind;
  find("notice").hidden = kind === "live";
  find("now").classList.toggle("stale", kind === "gone");
}

async function refresh(): Promise<void> {
  if (document.hidden) return;
  try {
    const response = await fetch("now.json", { cache: "no-store", signal: AbortSignal.timeout(requestMs) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    patch(find("now"), (await response.json()) as ViewNode);
    showLink("live");
  } catch {
    showLink("gone");
  }
}

async function refreshForever(): Promise<never> {
  for (;;) {
    await refresh();
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

const everyMs = 2_000;
/** Longer than the server waits for a process. */
const requestMs = 4_000;

document.addEventListener("visibilitychange", () => void refresh());
void refreshForever();
