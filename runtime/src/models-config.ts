import * as z from "zod";
import { type LaneId, laneId } from "@faceline/contracts/wire/ids";

/** `a,b` → ["a", "b"]. Every wrong name is an issue of its own, so that all are reported at once. */
const NameList = z.string().transform((text, context): string[] => {
  const names = text.split(",").map((name) => name.trim());
  for (const name of new Set(names)) {
    const report = (message: string) => context.addIssue({ code: "custom", message });
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) report(`"${name}" must be a name from the catalogue`);
    else if (names.indexOf(name) !== names.lastIndexOf(name)) report(`${name} is in the list twice`);
  }
  return names;
});

/**
 * The models and detectors of an installation. Workers load them, and requests to ingresses may name them:
 * set both alike. The first is the default.
 */
export const ModelsConfig = z.object({
  /** Embedding models from the catalogue, with commas. */
  MODELS: NameList.prefault("SFace"),
  /** Detectors from the catalogue, with commas; `auto` is `ssd`, then `blazeface` if that finds nothing. */
  DETECTORS: NameList.prefault("auto"),
});
export type ModelsConfig = z.infer<typeof ModelsConfig>;

const {
  MODELS: [model],
  DETECTORS: [detector],
} = ModelsConfig.parse({});
/** What calls that name none get, unless the settings say otherwise. */
export const defaultModels = { model: model!, detector: detector!, lane: laneId(model!, detector!) };

/** Returns every pair of a model and a detector: what requests may name, and so what workers must run. */
export const lanesOf = ({ MODELS, DETECTORS }: Pick<ModelsConfig, "MODELS" | "DETECTORS">): LaneId[] =>
  MODELS.flatMap((model) => DETECTORS.map((detector) => laneId(model, detector)));
