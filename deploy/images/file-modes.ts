import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Gives all files and folders below `folder` the same rights, whatever the umask of the clone was: everybody
 * may read them, and run what the owner may run. Symbolic links stay as they are.
 */
export function makeReadable(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0;
    chmodSync(path, isProgram ? 0o755 : 0o644);
  }
}
