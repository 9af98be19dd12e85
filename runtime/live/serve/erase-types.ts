// A worker thread of assets.ts.
import { stripTypeScriptTypes } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

// Blanks take the place of types, so lines and columns in a browser's debugger are those of the sources.
parentPort!.postMessage((workerData as string[]).map((source) => stripTypeScriptTypes(source)));
