import { runCommand } from "@faceline/deploy/launcher/run-command";
import { Steps } from "@faceline/deploy/launcher/steps";
import { buildImages, lackForContainers, openEngine } from "./images.ts";

// Run by hand where no registry can be reached, as docs/operating/containers.md says: makes the base images
// of the tests, and with them the images of Faceline, in the storage of this machine's podman.

await runCommand(async () => {
  const lack = lackForContainers();
  if (lack !== undefined) throw new Error(lack);
  const steps = new Steps();
  const { engine } = await openEngine(steps, { ownStorage: false });
  await buildImages(engine, steps);
});
