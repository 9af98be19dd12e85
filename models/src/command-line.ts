import { resolve } from "node:path";
import { parseOptions } from "./parse-options.ts";
import type { AcceptanceFlags } from "./licence/acceptance.ts";
import { modelsFolder } from "./model-file.ts";

/**
 * Reads the command line of `npm run models`. Returns the call, `help`, or a sentence on what is wrong, which
 * is empty where there is no verb.
 */
export function readCommandLine(argv: string[]): ModelsCall | string {
  if (argv[0] === "calibrate") return calibrateIsElsewhere;
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
    const { url, sha256, contract, from } = values;
    return {
      verb,
      folder: resolve(values.to),
      names,
      url: url === undefined ? undefined : { url, sha256: sha256! },
      contract: contract === undefined ? undefined : resolve(contract),
      from: from === undefined ? undefined : resolve(from),
      bytesMax: megabytesMax(values) * 1e6,
      flags: {
        acceptLicence: values["accept-licence"] === true,
        acceptNonCommercial: values["accept-non-commercial"] === true,
      },
      gpuAction: gpuActions.find((action) => values[action] === true) ?? "install",
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function faultOf(verb: Verb, names: readonly string[], values: Values): string | undefined {
  const { url, sha256, contract } = values;
  const max = megabytesMax(values);
  if (!(Number.isInteger(max) && max >= 1 && max <= 2_000)) return "--max-megabytes must be 1 to 2000";
  switch (verb) {
    case "pull": {
      const parts = [url, sha256, contract].filter((part) => part !== undefined);
      if (parts.length === 0) return names.length > 0 ? undefined : "pull: which models? list shows them";
      if (names.length > 0) return "pull: either names, or --url with --sha256 and --contract";
      if (parts.length < 3) return "pull: --url, --sha256 and --contract belong together";
      if (!URL.canParse(url!)) return "pull: --url must be an address that begins with https://";
      return /^[0-9a-f]{64}$/.test(sha256!) ? undefined : "pull: --sha256 must be 64 hexadecimal digits";
    }
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

/** The verb of release 0.1.0. */
const calibrateIsElsewhere =
  "calibrate: npm run models -- thresholds measures labelled pairs, with the options of before; " +
  "npm run plan -- calibrate measures a machine";

const isVerb = (verb: string): verb is Verb => (verbs as readonly string[]).includes(verb);

const verbs = ["build", "verify", "list", "pull", "add", "remove", "gpu"] as const;
type Verb = (typeof verbs)[number];

const gpuActions = ["list", "verify", "remove"] as const;

const options = {
  to: { type: "string", default: modelsFolder },
  help: { type: "boolean", default: false },
  "accept-licence": { type: "boolean" },
  "accept-non-commercial": { type: "boolean" },
  url: { type: "string" },
  sha256: { type: "string" },
  contract: { type: "string" },
  from: { type: "string" },
  "max-megabytes": { type: "string" },
  list: { type: "boolean" },
  verify: { type: "boolean" },
  remove: { type: "boolean" },
} as const;
type Values = ReturnType<typeof parseOptions<{ options: typeof options }>>["values"];

/** Verbs that take the options that not all take. */
const optionsOf: Readonly<Record<string, readonly Verb[]>> = {
  "accept-licence": ["pull", "gpu"],
  "accept-non-commercial": ["pull"],
  url: ["pull"],
  sha256: ["pull"],
  contract: ["pull", "add"],
  from: ["pull", "gpu"],
  "max-megabytes": ["pull", "add"],
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
  url: { url: string; sha256: string } | undefined;
  /** Path of a contract. */
  contract: string | undefined;
  /** A mirror folder. */
  from: string | undefined;
  /** Size limit of one file that is pulled or added. */
  bytesMax: number;
  flags: AcceptanceFlags;
  /** Argument of the verb `gpu`. */
  gpuAction: "install" | (typeof gpuActions)[number];
};
