// Covers deploy/images/Dockerfile.
import assert from "node:assert/strict";
import test from "node:test";
import { runLimits } from "./containers/engine.ts";
import {
  buildImages,
  type ImageTarget,
  imageTag,
  openEngine,
  targets,
  withoutContainers,
} from "./containers/images.ts";

const MB = 1_000_000;
/** Unpacked, with a base of 18 MB. */
const bytesMax: Record<ImageTarget, number> = {
  ingress: 260 * MB,
  batcher: 260 * MB,
  inference: 400 * MB,
  tools: 260 * MB,
};

test("two builds of the images from nothing have the same digests", {
  skip: withoutContainers(),
}, async (t) => {
  const { engine } = await openEngine();
  const ids = async () => Promise.all(targets.map((each) => engine.imageId(imageTag(each))));
  const rebuild = async () => {
    // With their layers, which a build would use again.
    for (const each of targets) await engine.podman("rmi", "--force", imageTag(each)).catch(() => "");
    await engine.podman("image", "prune", "--force");
    await buildImages(engine);
    return ids();
  };
  const first = await rebuild();
  assert.deepEqual(await rebuild(), first);
  assert.equal(new Set(first).size, targets.length);

  for (const target of targets) {
    await t.test(
      `${target}: small, no shell, one platform's libraries, an SBOM, a user without rights`,
      async () => {
        const bytes = await engine.imageBytes(imageTag(target));
        t.diagnostic(`${target}: ${Math.round(bytes / MB)} MB, ${first[targets.indexOf(target)]}`);
        assert.ok(bytes <= bytesMax[target], `${bytes} bytes`);
        const found = await look(target);
        assert.deepEqual(
          { ...found, components: found.components > 20 },
          {
            uid: 10_001,
            shells: [],
            otherPlatforms: [],
            tests: [],
            components: true,
            timeInSbom: false,
            telemetryOff: "11",
          },
        );
      },
    );
  }

  /** What a process in a container of the image sees. */
  async function look(target: ImageTarget): Promise<Look> {
    const options = ["--rm", "--read-only", "--cap-drop", "all", "--network", "none", ...runLimits];
    const node = [
      "--entrypoint",
      "/usr/local/bin/node",
      imageTag(target),
      "--input-type=module",
      "--eval",
      script,
    ];
    const printed = await engine.podman("run", ...options, ...node);
    // podman may warn beside it.
    return JSON.parse(printed.split("\n").find((line) => line.startsWith("{"))!) as Look;
  }
});

const script = `
  import { existsSync, readdirSync, readFileSync } from "node:fs";
  const files = readdirSync("/faceline", { recursive: true });
  const platform = process.platform + "-" + process.arch;
  const sbom = JSON.parse(readFileSync("/faceline/sbom.cdx.json", "utf8"));
  console.log(JSON.stringify({
    uid: process.getuid(),
    shells: ["/bin/sh", "/bin/bash", "/usr/bin/env"].filter(existsSync),
    otherPlatforms: files.filter((file) => /\\.(node|so[.\\d]*|dll|dylib)$/.test(file))
      .filter((file) => !file.includes(platform) && !file.includes(platform.replace("-", "/"))),
    tests: files.filter((file) => !file.startsWith("node_modules/") && /\\.test\\.ts$/.test(file)),
    components: sbom.components.length,
    timeInSbom: "serialNumber" in sbom || "timestamp" in sbom.metadata,
    telemetryOff: process.env.ORT_DISABLE_TELEMETRY + process.env.ORT_TELEMETRY_DISABLED,
  }));
`;

type Look = {
  uid: number;
  shells: string[];
  otherPlatforms: string[];
  tests: string[];
  components: number;
  timeInSbom: boolean;
  telemetryOff: string;
};
