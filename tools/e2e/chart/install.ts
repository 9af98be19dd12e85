import type { TestContext } from "node:test";
import { installProgram, toolsFolder } from "./go-tools.ts";
import { openValidator } from "./kubeconform.ts";

/** Returns Helm and the validator. Skips the test, with the reason, where they cannot be had. */
export async function installTools(t: TestContext) {
  try {
    const helm = await installProgram("helm", toolsFolder, t.signal);
    return { helm, validate: await openValidator(toolsFolder, t.signal) };
  } catch (fault) {
    // What Go printed is below the sentence.
    t.skip(`NOT TESTED: ${(fault as Error).message.replaceAll(/\s+/g, " ")}`);
    return undefined;
  }
}
