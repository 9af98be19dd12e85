import { resolve } from "node:path";
import { CommandOutput } from "@faceline/runtime/command-output";
import { calibrate, calibrateUsage } from "./commands/calibrate.ts";
import { plan, planUsage } from "./commands/plan.ts";
import { record, recordUsage } from "./commands/record.ts";
import { run, runUsage } from "./commands/run.ts";

// `npm run plan`, and its verbs: see tools/planner/README.md.

const verbs = {
  plan: {
    act: plan,
    does: "all steps below, for the service that npm start runs: without a verb",
    usage: planUsage,
    stopped: "Stopped. The service continues as before.",
  },
  calibrate: {
    act: calibrate,
    does: "measures this machine into a profile",
    usage: calibrateUsage,
    stopped: "Stopped. Nothing was written: a profile of half of the samples would be wrong.",
  },
  run: {
    act: run,
    does: "finds the cheapest settings for some traffic",
    usage: runUsage,
    stopped: "Stopped.",
  },
  record: {
    act: record,
    does: "writes a trace of the traffic of a running service",
    usage: recordUsage,
    stopped: undefined,
  },
};

const given = process.argv.slice(2);
const hasVerb = given[0]?.startsWith("--") === false;
const name = hasVerb ? given[0]! : "plan";
const args = hasVerb ? given.slice(1) : given;
const verb = Object.hasOwn(verbs, name) ? verbs[name as keyof typeof verbs] : undefined;
if (verb === undefined || args.includes("--help")) {
  const list = Object.entries(verbs).map(([each, { does }]) => `  ${each.padEnd(10)} ${does}\n`);
  const overview = `\nVerbs, for one step at a time:\n\n${list.join("")}\nnpm run plan -- VERB --help lists its options.`;
  console.log(verb === undefined ? overview : verb.usage + (verb === verbs.plan ? overview : ""));
  process.exitCode = verb === undefined ? 1 : 0;
} else {
  const { showProgress: progress } = new CommandOutput(process.stderr);
  // Without a sentence the verb ends by itself.
  if (verb.stopped !== undefined) {
    process.once("SIGINT", () => {
      progress("");
      console.error(verb.stopped);
      process.exit(130);
    });
  }
  const stateFolder = resolve(process.env["FACELINE_STATE"] || ".faceline");
  try {
    process.exitCode = await verb.act(args, { stateFolder, print: (line) => console.log(line), progress });
  } catch (error) {
    progress("");
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
