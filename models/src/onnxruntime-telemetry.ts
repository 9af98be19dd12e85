import { isMainThread } from "node:worker_threads";

/**
 * Environment variables that turn onnxruntime's telemetry off. Since 1.29 it counts sessions, models and
 * runs, uploads that to Microsoft, and keeps a queue of it below the home folder, unless these variables are
 * set when it is loaded. Release 1.30 reads the first name, its main branch the second. onnxruntime.test.ts
 * covers it.
 */
export const telemetryOff = { ORT_DISABLE_TELEMETRY: "1", ORT_TELEMETRY_DISABLED: "1" } as const;

// Native code reads the environment of the process, and a worker thread can change only its own copy. So
// whoever starts a thread imports this file too, and the thread's copy shows whether they did.
if (!isMainThread && process.env["ORT_DISABLE_TELEMETRY"] !== telemetryOff.ORT_DISABLE_TELEMETRY) {
  throw new Error("import onnxruntime-telemetry.ts on the main thread before a thread loads onnxruntime");
}
Object.assign(process.env, telemetryOff);
