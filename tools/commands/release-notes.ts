import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "@faceline/deploy/launcher/run-command";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { releaseNotes } from "@faceline/releases/changelog";
import { pinnedFile, unpinnedIn } from "@faceline/releases/pinned-images";

const usage = `usage: node deploy/bootstrap.mjs tools/commands/release-notes.ts v0.2.0

The first step of .github/workflows/release.yml: refuses a release that cannot be published, and prints its
notes.`;

await runCommand(usage, async ({ print }) => {
  const read = (file: string) => readFileSync(join(repository, file), "utf8");
  const { version } = JSON.parse(read("package.json")) as { version: string };
  const [tag] = process.argv.slice(2);
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json has ${version}.`);
  const unpinned = unpinnedIn(read(pinnedFile));
  if (unpinned.length > 0) {
    throw new Error(
      `Run npm run pin-images and commit; these images have no digest:\n${unpinned.join("\n")}`,
    );
  }
  print(releaseNotes(read("CHANGELOG.md"), version));
});
