import { parentPort, workerData } from "node:worker_threads";
import type { Facts } from "./facts.ts";
import { renderSite } from "./render.ts";

// The thread that ./site.ts starts.

parentPort!.postMessage(await renderSite(workerData as Facts));
