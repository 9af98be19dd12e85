import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { cudaEnvironment } from "@faceline/models/gpu/cuda-folder";
import { modelsFolder } from "@faceline/models/model-file";
import { repository } from "../launcher/state-folder.ts";

// `npm run models -- VERB`. All verbs are the models package's, except for `thresholds`, which runs the
// pipeline of inference over images. The usage of all verbs is the models package's.

const args = process.argv.slice(2);
const [program, programArgs] =
  args[0] === "thresholds" && !args.includes("--help")
    ? ["tools/thresholds/main.ts", args.slice(1)]
    : ["models/src/main.ts", args];

const env = { ...process.env, ...cudaEnvironment(modelsFolder, process.env) };
const child = spawn(process.execPath, [join(repository, program), ...programArgs], { stdio: "inherit", env });
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
