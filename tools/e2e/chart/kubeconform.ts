import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { fetchModule, installProgram } from "./go-tools.ts";
import type { Manifest } from "./helm.ts";
import { readDefinitions, writeSchemas } from "./schemas.ts";

/**
 * Returns a function that compares objects with the schemas of Kubernetes, the Gateway API, KEDA and the
 * Prometheus operator.
 * It tells how many are valid, and what is wrong with each of the others. Tools and schemas are in `folder`.
 */
export async function openValidator(folder: string, stop: AbortSignal) {
  const kubeconform = await installProgram("kubeconform", folder, stop);
  const kubernetes = await fetchModule("kubernetes", folder, stop);
  const openApi = join(kubernetes, "api/openapi-spec/swagger.json");
  const location = writeSchemas(join(folder, "schemas"), openApi, await readDefinitions(folder, stop));
  return async (manifests: Manifest[]) => {
    const file = join(folder, "manifests.json");
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests }));
    const args = ["-strict", "-output", "json", "-verbose", "-schema-location", location, file];
    // It ends with a code where an object is not valid.
    const { stdout } = await promisify(execFile)(kubeconform, args, { maxBuffer: outputBytesMax }).catch(
      (error: { stdout: string }) => error,
    );
    const { resources } = JSON.parse(stdout) as { resources: Finding[] };
    const faults = resources.filter(({ status }) => status !== "statusValid");
    return {
      valid: resources.length - faults.length,
      faults: faults.map(({ kind, msg }) => `${kind}: ${msg}`),
    };
  };
}

const outputBytesMax = 16 * 2 ** 20;

type Finding = { status: string; kind: string; msg: string };
