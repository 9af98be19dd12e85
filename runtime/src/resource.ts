import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Resource } from "@opentelemetry/resources";

/** Version of this release, the same in all packages. */
export const version = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** Commit of these sources, from the image or the checkout; undefined if neither says it. */
export const revision: string | undefined =
  process.env["FACELINE_REVISION"] || revisionOf(join(import.meta.dirname, "../../.git"));

/**
 * Returns what describes this process in traces, metrics and logs alike. OTEL_SERVICE_NAME and
 * OTEL_RESOURCE_ATTRIBUTES take precedence. Detectors of the host or the process are not used: they would
 * reveal the host's name and the command line. Loads OpenTelemetry.
 */
export async function openResource({ service, id }: ProcessName): Promise<Resource> {
  const opentelemetry = await import("@opentelemetry/resources");
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = opentelemetry;
  const own = resourceFromAttributes({
    "service.name": `faceline-${service}`,
    "service.namespace": "faceline",
    "service.instance.id": id,
    "service.version": version,
    ...(revision === undefined ? {} : { "vcs.ref.head.revision": revision }),
  });
  // The first has telemetry.sdk.*.
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Returns the commit of a checkout, without a process of git; undefined if there is none. */
export function revisionOf(gitFolder: string): string | undefined {
  const read = (path: string) => readFileSync(join(gitFolder, path), "utf8").trim();
  try {
    const head = read("HEAD");
    if (!head.startsWith("ref: ")) return head;
    const ref = head.slice("ref: ".length);
    try {
      return read(ref);
    } catch {
      const line = read("packed-refs")
        .split("\n")
        .find((each) => each.endsWith(` ${ref}`));
      return line?.split(" ")[0];
    }
  } catch {
    return undefined;
  }
}

/** `service`: `ingress` gives the resource `faceline-ingress`. `id`: new at every start. */
type ProcessName = { service: string; id: string };
