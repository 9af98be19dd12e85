import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generatedFiles, generatedFolder } from "./generated.ts";

// Run by `npm run fix`: writes the dashboards, console pages and alerts anew.

for (const folder of ["grafana", "consoles"])
  rmSync(join(generatedFolder, folder), { recursive: true, force: true });
for (const [file, content] of generatedFiles()) {
  const path = join(generatedFolder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
