import * as z from "zod";

/** The service that `npm start` runs, as it writes it into its state folder for `npm run plan`. */
export const RunningService = z.object({
  /** Address of the first ingress. */
  address: z.string(),
  /** Addresses of the operators' ports, by the name of the process: `{ "batcher-1": "http://…" }`. */
  operators: z.record(z.string(), z.string()),
  /** File of the operators' token; null if they need none. */
  tokenFile: z.string().nullable(),
  /** File of the development key; null if none was made. */
  keyFile: z.string().nullable(),
  modelsDir: z.string(),
  /** ENGINE: `onnx`, or a modelled one. */
  engine: z.string(),
});
export type RunningService = z.infer<typeof RunningService>;

/** Name of its file in the state folder. */
export const runningServiceFile = "running-service.json";
