import { join } from "node:path";
import { alertRules } from "./alerts/alert-rules.ts";
import { rulesFile } from "./alerts/rules-file.ts";
import { consoleLibrary, consolePage } from "./consoles/page.ts";
import { grafanaDashboard } from "./grafana/dashboard.ts";
import { pages } from "./panels.ts";

/** The folder of the generated files. Prometheus takes its `consoles` for templates and their libraries. */
export const generatedFolder = join(import.meta.dirname, "generated");

/** Returns the content of each generated file, by its path in `generatedFolder`. */
export function generatedFiles(): Map<string, string> {
  const files = new Map([
    ["alerts.yml", rulesFile(alertRules())],
    ["consoles/faceline.lib", consoleLibrary()],
  ]);
  for (const page of pages) {
    const others = pages.filter((each) => each !== page);
    files.set(`grafana/${page.name}.json`, `${JSON.stringify(grafanaDashboard(page, others), null, 2)}\n`);
    files.set(`consoles/${page.name}.html`, consolePage(page, pages));
  }
  return files;
}
