import assert from "node:assert/strict";
import test from "node:test";
import type { Lock } from "./package-closure.ts";
import { sbomOf } from "./sbom.ts";

const lock: Lock = {
  packages: {
    ingress: { version: "0.1.0" },
    "node_modules/@x/a": { version: "1.0.0" },
    "node_modules/b/node_modules/c": { version: "2.0.0" },
    "node_modules/other": { version: "3.0.0" },
  },
};
const all = (time: string) => ({
  bomFormat: "CycloneDX",
  serialNumber: `urn:uuid:${time}`,
  metadata: { timestamp: time, tools: ["npm"] },
  components: ["@faceline/ingress@0.1.0", "@x/a@1.0.0", "c@2.0.0", "c@1.0.0", "other@3.0.0"].map((ref) => ({
    "bom-ref": ref,
  })),
  dependencies: [
    { ref: "@faceline/ingress@0.1.0", dependsOn: ["@x/a@1.0.0", "other@3.0.0"] },
    { ref: "other@3.0.0", dependsOn: [] },
  ],
});
const folders = ["ingress", "node_modules/@x/a", "node_modules/b/node_modules/c"];

test("the SBOM of an image has its packages, in their versions, and no others", () => {
  const { components, dependencies } = sbomOf(all("now"), lock, folders);
  assert.deepEqual(
    components.map((each) => each["bom-ref"]),
    ["@faceline/ingress@0.1.0", "@x/a@1.0.0", "c@2.0.0"],
  );
  assert.deepEqual(dependencies, [{ ref: "@faceline/ingress@0.1.0", dependsOn: ["@x/a@1.0.0"] }]);
});

test("two builds have the same SBOM", () => {
  assert.deepEqual(sbomOf(all("now"), lock, folders), sbomOf(all("later"), lock, folders));
});
