import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repository } from "../launcher/state-folder.ts";

// `npm run models -- VERB`. All verbs are the models package's, except for `calibrate`: it runs the pipeline
// of inference over pictures, and the models package must not depend on the service. The usage of all verbs
// is the models package's.

const [verb, ...rest] = process.argv.slice(2);
const [program, args] =
  verb === "calibrate" && !rest.includes("--help")
    ? ["inference/calibrate/main.ts", rest]
    : ["models/src/main.ts", process.argv.slice(2)];
const child = spawn(process.execPath, [join(repository, program), ...args], { stdio: "inherit" });
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
