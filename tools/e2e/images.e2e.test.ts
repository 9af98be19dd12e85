// Covers deploy/images/Dockerfile and assemble.ts.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import test from "node:test";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { baseImages } from "./containers/base-images.ts";
import type { ContainerEngine } from "./containers/engine.ts";
import { buildImages, imageTag, imageTargets, openEngine, withoutContainers } from "./containers/images.ts";

/** Size of all files, unpacked, which is what a machine keeps. */
const megabytesMax = { ingress: 260, batcher: 260, inference: 400, tools: 260 };

test("images of two clones, built apart", { skip: withoutContainers() }, async (t) => {
  const steps = new Steps();
  const { engine, folder } = await openEngine(steps);
  await buildImages(engine, steps);
  const sources = join(folder, "clone");
  t.after(() => rmSync(sources, { recursive: true, force: true }));
  cloneWithOtherRights(sources);
  t.after(() => removeSecondBuild(engine));
  const buildBase = await newBuildBase(engine, folder);
  await buildImages(engine, steps, { names, sources, buildBase });

  for (const target of imageTargets) {
    const tags = [imageTag("faceline", target), imageTag(names, target)] as const;
    const [first, second] = await Promise.all(tags.map((tag) => inspect(engine, tag)));

    await t.test(`${target}: the same digest, and not larger than ${megabytesMax[target]} MB`, (t) => {
      assert.equal(first!.digest, second!.digest, `compare ${tags.join(" and ")} by podman image mount`);
      assert.equal(first!.id, second!.id);
      const megabytes = first!.bytes / 1e6;
      t.diagnostic(`${first!.digest}, ${megabytes.toFixed(0)} MB`);
      assert.ok(megabytes <= megabytesMax[target], `${megabytes} MB`);
    });
  }
});

const names = "second-build";
const buildBaseTag = `localhost/${names}/build-base`;
const label = `faceline.test=${names}`;

/** A copy of the working tree, as with the umask 077 and of another time. */
function cloneWithOtherRights(to: string): void {
  const left = new Set(["node_modules", ".git", ".faceline", ".turbo", ".tsbuild"]);
  rmSync(to, { recursive: true, force: true });
  for (const name of readdirSync(repository)) {
    if (left.has(name)) continue;
    const filter = (path: string) => !left.has(basename(path));
    cpSync(join(repository, name), join(to, name), { recursive: true, filter, verbatimSymlinks: true });
  }
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink()) chmodSync(path, lstatSync(path).mode & 0o700);
  }
}

/**
 * The base of the build with one more file. So nothing is taken from the cache, and the second image would
 * differ if anything of this base were in it.
 */
async function newBuildBase(engine: ContainerEngine, folder: string): Promise<string> {
  const context = join(folder, "context");
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context);
  writeFileSync(join(context, "build"), randomBytes(16).toString("hex"));
  const lines = [`FROM ${baseImages.buildBase}`, `LABEL ${label}`, "COPY build /etc/build"];
  writeFileSync(join(context, "Dockerfile"), `${lines.join("\n")}\n`);
  await engine.build(buildBaseTag, join(context, "Dockerfile"), context);
  rmSync(context, { recursive: true });
  return buildBaseTag;
}

async function removeSecondBuild(engine: ContainerEngine): Promise<void> {
  const tags = imageTargets.map((target) => imageTag(names, target));
  await engine.podman("image", "rm", "--ignore", ...tags, buildBaseTag);
  await engine.podman("image", "prune", "--force", "--filter", `label=${label}`);
}

async function inspect(engine: ContainerEngine, tag: string) {
  const format = "image {{.Digest}} {{.Id}} {{.Size}}";
  const printed = await engine.podman("image", "inspect", "--format", format, tag);
  const [, digest = "", id = "", bytes] = /^image (\S+) (\S+) (\d+)$/m.exec(printed) ?? [];
  return { digest, id, bytes: Number(bytes) };
}
