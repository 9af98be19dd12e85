import * as z from "zod";

const namesMax = 200;
const ModelName = z.string().min(1).max(64);

/** An operator's choice among the models, or among the detectors. */
const Choice = z.object({
  /** Everything else that an ingress has loaded is enabled. */
  disabled: z.array(ModelName).max(namesMax),
  /** Undefined: the default of the settings. */
  default: ModelName.optional(),
});

/**
 * Record of the durable Redis, as JSON: which models and detectors are enabled, and the defaults. It holds
 * what an operator has disabled. So a name that is added to MODELS later is enabled, as it says.
 * `version` grows by one with each change.
 */
export const Allowlist = z.object({ version: z.int().positive(), models: Choice, detectors: Choice });
export type Allowlist = z.infer<typeof Allowlist>;

const Names = z.object({ names: z.array(ModelName).min(1).max(namesMax), default: ModelName });

/** Models and detectors with a default each, which is one of the names: loaded ones, or enabled ones. */
export const ModelSelection = z.object({ models: Names, detectors: Names });
export type ModelSelection = z.infer<typeof ModelSelection>;

/**
 * Returns what is enabled at an ingress with these models and detectors loaded. `ignored` has a sentence for
 * each part of the record that does not fit what is loaded: another ingress may have loaded more. The lists
 * are never empty, and a default is always enabled.
 */
export function enabledModels(
  loaded: ModelSelection,
  allowlist: Allowlist | undefined,
): { enabled: ModelSelection; ignored: string[] } {
  const models = choose("model", loaded.models, allowlist?.models);
  const detectors = choose("detector", loaded.detectors, allowlist?.detectors);
  return {
    enabled: { models: models.names, detectors: detectors.names },
    ignored: [...models.ignored, ...detectors.ignored],
  };
}

function choose(
  noun: "model" | "detector",
  loaded: Names,
  { disabled, default: chosen }: z.infer<typeof Choice> = { disabled: [] },
): { names: Names; ignored: string[] } {
  const ignored = disabled
    .filter((name) => !loaded.names.includes(name))
    .map((name) => `the ${noun} ${name} is disabled, but not loaded here`);
  const left = loaded.names.filter((name) => !disabled.includes(name));
  if (left.length === 0) {
    ignored.push(`every ${noun} that is loaded here is disabled: ${loaded.default} stays enabled`);
    left.push(loaded.default);
  }
  // Another ingress may have other settings, so the default of these may be disabled.
  const standard = left.includes(loaded.default) ? loaded.default : left[0]!;
  if (chosen === undefined || left.includes(chosen)) {
    return { names: { names: left, default: chosen ?? standard }, ignored };
  }
  ignored.push(`the default ${noun} ${chosen} is not enabled here: ${standard} is the default`);
  return { names: { names: left, default: standard }, ignored };
}

type Names = z.infer<typeof Names>;
