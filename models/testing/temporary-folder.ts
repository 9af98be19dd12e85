import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** Makes an empty folder that is removed at the end of the test. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "faceline-test-"));
  // A program that was killed a moment ago may still be writing.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
