import { resolve } from "node:path";
import type { AcceptanceFlags } from "./licence/acceptance.ts";
import { modelsFolder } from "./model-file.ts";
import { parseOptions } from "./parse-options.ts";

/**
 * Reads the command line of `npm run models`. Returns the call, `help`, or a sentence on what is wrong, which
 * is empty if there is no verb.
 */
export function readCommandLine(argv: string[]): ModelsCall | string {
  try {
    const { values, positionals } = parseOptions({ args: argv, options, allowPositionals: true });
    if (values.help) return "help";
    const [verb = "", ...names] = positionals;
    if (!isVerb(verb)) return verb === "" ? "" : `unknown verb: ${verb}`;
    const unused = Object.entries(optionsOf)
      .filter(
        ([option, verbs]) => values[option as keyof typeof values] !== undefined && !verbs.includes(verb),
      )
      .map(([option]) => `--${option}`);
    if (unused.length > 0) return `${verb}: it has no ${unused.join(", ")}`;
    const fault = faultOf(verb, names, values);
    if (fault !== undefined) return fault;
    const { contract, from } = values;
    return {
      verb,
      folder: resolve(values.to),
      names,
      contract: contract === undefined ? undefined : resolve(contract),
      from: from === undefined ? undefined : resolve(from),
      bytesMax: megabytesMax(values) * 1e6,
      flags: { acceptLicence: values["accept-licence"] === true },
      gpuAction: gpuActions.find((action) => values[action] === true) ?? "install",
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function faultOf(verb: Verb, names: readonly string[], values: Values): string | undefined {
  const { contract } = values;
  const max = megabytesMax(values);
  if (!(Number.isInteger(max) && max >= 1 && max <= 2_000)) return "--max-megabytes must be 1 to 2000";
  switch (verb) {
    case "pull":
      return names.length > 0 ? undefined : "pull: which models? list shows them";
    case "add":
      if (names.length !== 1) return "add: which file? one .onnx file at a time";
      return contract === undefined ? "add: --contract names the file that describes the model" : undefined;
    case "gpu": {
      const actions = gpuActions.filter((action) => values[action] === true);
      if (actions.length > 1) return `gpu: only one of ${actions.map((action) => `--${action}`).join(", ")}`;
      return names.length > 0 ? `unexpected arguments: ${names.join(" ")}` : undefined;
    }
    case "remove":
      return names.length === 1 ? undefined : "remove: which model? one name at a time";
    case "build":
    case "verify":
    case "list":
      return names.length > 0 ? `unexpected arguments: ${names.join(" ")}` : undefined;
  }
}

const megabytesMax = (values: Values): number => Number(values["max-megabytes"] ?? 600);

const isVerb = (verb: string): verb is Verb => (verbs as readonly string[]).includes(verb);

const verbs = ["build", "verify", "list", "pull", "add", "remove", "gpu"] as const;
type Verb = (typeof verbs)[number];

const gpuActions = ["list", "verify", "remove"] as const;

const options = {
  to: { type: "string", default: modelsFolder },
  help: { type: "boolean", default: false },
  "accept-licence": { type: "boolean" },
  contract: { type: "string" },
  from: { type: "string" },
  "max-megabytes": { type: "string" },
  list: { type: "boolean" },
  verify: { type: "boolean" },
  remove: { type: "boolean" },
} as const;
type Values = ReturnType<typeof parseOptions<{ options: typeof options }>>["values"];

/** Verbs that take options which not all verbs take. */
const optionsOf: Readonly<Record<string, readonly Verb[]>> = {
  "accept-licence": ["pull", "gpu"],
  contract: ["add"],
  from: ["pull", "gpu"],
  "max-megabytes": ["add"],
  list: ["gpu"],
  verify: ["gpu"],
  remove: ["gpu"],
};

export type ModelsCall = {
  verb: Verb;
  /** The folder of built models. */
  folder: string;
  /** Arguments after the verb. */
  names: readonly string[];
  /** Path of a contract. */
  contract: string | undefined;
  /** A mirror folder. */
  from: string | undefined;
  /** Size limit of a file that is added. */
  bytesMax: number;
  flags: AcceptanceFlags;
  /** Argument of the verb `gpu`. */
  gpuAction: "install" | (typeof gpuActions)[number];
};
