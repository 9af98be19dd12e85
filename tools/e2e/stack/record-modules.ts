import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";

// Preloaded into a service (NODE_OPTIONS=--import=…): writes the address of each module that the process
// loads into a file of its own in the folder LOADED_MODULES.

const file = join(process.env["LOADED_MODULES"]!, `${process.pid}`);
registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(file, `${url}\n`);
    return nextLoad(url, context);
  },
});
