import { type Allowlist, enabledModels, type ModelSelection } from "./allowlist.ts";

/** Changes that an operator may make to a model or detector. */
export const modelActions = ["enable", "disable", "default"] as const;
export type ModelChange = { action: (typeof modelActions)[number]; name: string };

/**
 * Decides on a change. `loaded` has what each running ingress has loaded, one or more. Refuses what would
 * leave an ingress without a model or detector, or with a default that is disabled. Does nothing itself.
 */
export function decideChange(
  allowlist: Allowlist | undefined,
  loaded: ModelSelection[],
  { action, name }: ModelChange,
): ChangeDecision {
  const kind = loaded.some(({ models }) => models.names.includes(name)) ? "models" : "detectors";
  const noun = kind === "models" ? "model" : "detector";
  const having = loaded.filter((each) => each[kind].names.includes(name));
  if (having.length === 0) return refuse(`No ingress has loaded ${name}. ${listLoaded(loaded)}`);

  const current = having.map((each) => enabledModels(each, allowlist).enabled[kind]);
  const isEnabled = current.every(({ names }) => names.includes(name));
  const choice = allowlist?.[kind] ?? { disabled: [] };
  const next = (changed: typeof choice): ChangeDecision => ({
    kind: "change",
    allowlist: {
      models: { disabled: [] },
      detectors: { disabled: [] },
      ...allowlist,
      version: (allowlist?.version ?? 0) + 1,
      [kind]: changed,
    },
  });

  switch (action) {
    case "enable":
      if (!choice.disabled.includes(name)) return same(`The ${noun} ${name} is enabled already.`);
      return next({ ...choice, disabled: choice.disabled.filter((each) => each !== name) });
    case "disable":
      if (choice.disabled.includes(name)) return same(`The ${noun} ${name} is disabled already.`);
      if (current.some(({ names }) => names.length === 1 && names[0] === name)) {
        return refuse(`${name} is the only ${noun} that is enabled: enable another one first.`);
      }
      if (current.some((each) => each.default === name)) {
        return refuse(`${name} is the default ${noun}: make another one the default first.`);
      }
      return next({ ...choice, disabled: [...choice.disabled, name] });
    case "default":
      if (!isEnabled) return refuse(`The ${noun} ${name} is disabled: enable it first.`);
      if (choice.default === name) return same(`${name} is the default ${noun} already.`);
      return next({ ...choice, default: name });
  }
}

const refuse = (reason: string): ChangeDecision => ({ kind: "refused", reason });
const same = (reason: string): ChangeDecision => ({ kind: "unchanged", reason });

function listLoaded(loaded: ModelSelection[]): string {
  const names = (kind: keyof ModelSelection) =>
    [...new Set(loaded.flatMap((each) => each[kind].names))].join(", ");
  return (
    `Loaded are the models ${names("models")} and the detectors ${names("detectors")}; ` +
    "the settings MODELS and DETECTORS say which."
  );
}

/** `reason` is a sentence for the operator. */
export type ChangeDecision =
  | { kind: "change"; allowlist: Allowlist }
  | { kind: "unchanged"; reason: string }
  | { kind: "refused"; reason: string };
