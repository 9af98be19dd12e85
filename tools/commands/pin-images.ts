import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "@faceline/deploy/launcher/capture";
import { runCommand } from "@faceline/deploy/launcher/run-command";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { filesWithImages, imagesIn, pinImages, pinnedFile, tagOf } from "@faceline/releases/pinned-images";

const usage = `usage: npm run pin-images

Asks the registries for the digest that each tag of deploy/images/pinned.env has now (of all architectures
together), and writes it into every file that names the image. Needs Docker's buildx.`;

await runCommand(usage, async ({ print, stop }) => {
  const path = (file: string) => join(repository, file);
  const digests = new Map<string, string>();
  for (const tag of new Set(imagesIn(readFileSync(path(pinnedFile), "utf8")).map(tagOf))) {
    const inspect = ["buildx", "imagetools", "inspect", tag, "--format", "{{print .Manifest.Digest}}"];
    const digest = (await capture("docker", inspect, { stop })).trim();
    if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${tag}: the registry answers ${digest}`);
    digests.set(tag, digest);
    print(`${tag} ${digest}`);
  }
  for (const file of [pinnedFile, ...filesWithImages]) {
    writeFileSync(path(file), pinImages(readFileSync(path(file), "utf8"), digests));
  }
});
