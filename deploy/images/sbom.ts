import type { Lock } from "./package-closure.ts";

/**
 * Returns the SBOM of the packages in `folders`, from that of the whole repository (`npm sbom`, CycloneDX).
 * Leaves out the serial number and the time, which are new each time: two builds give the same image.
 */
export function sbomOf(all: Sbom, lock: Lock, folders: readonly string[]): Sbom {
  const wanted = new Set(folders.map((folder) => `${nameOf(folder)}@${lock.packages[folder]!.version}`));
  const { serialNumber: _random, metadata, ...rest } = all;
  const { timestamp: _now, ...kept } = metadata;
  return {
    ...rest,
    metadata: kept,
    components: all.components.filter((each) => wanted.has(each["bom-ref"])),
    dependencies: all.dependencies
      .filter(({ ref }) => wanted.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => wanted.has(each)) })),
  };
}

/** `node_modules/a/node_modules/@x/b` → `@x/b`; `ingress` → `@faceline/ingress`. */
function nameOf(folder: string): string {
  const at = folder.lastIndexOf("node_modules/");
  return at === -1 ? `@faceline/${folder}` : folder.slice(at + "node_modules/".length);
}

/** The part of CycloneDX 1.5 that is read here, as npm writes it. */
export type Sbom = {
  serialNumber?: string;
  metadata: { timestamp?: string };
  /** `NAME@VERSION`, as in `dependencies`. */
  components: { "bom-ref": string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};
