import { isMainThread } from "node:worker_threads";

/**
 * What keeps onnxruntime from sending telemetry: since 1.29 it counts sessions, models and runs, uploads that
 * to Microsoft, and keeps a queue of it below the home folder, unless the environment says otherwise when it
 * is loaded. Release 1.30 reads the first name, its main branch the second.
 */
export const telemetryOff = { ORT_DISABLE_TELEMETRY: "1", ORT_TELEMETRY_DISABLED: "1" } as const;

// Native code reads the environment of the process. What a worker thread sets changes only the thread's own
// copy, so whoever starts a thread imports this file too, and the copy tells whether they did.
if (!isMainThread && process.env["ORT_DISABLE_TELEMETRY"] !== telemetryOff.ORT_DISABLE_TELEMETRY) {
  throw new Error("import onnxruntime-telemetry.ts on the main thread before a thread loads onnxruntime");
}
Object.assign(process.env, telemetryOff);
