import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";

// Preloaded by NODE_OPTIONS. Writes down every module that a process loads, to the file MODULE_LIST.

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env["MODULE_LIST"]!, `${url}\n`);
    return nextLoad(url, context);
  },
});
