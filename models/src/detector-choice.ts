import type { DetectorModel } from "./catalogue-entry.ts";

/**
 * What requests name as their detector. `first` searches every image. `second`, which only `auto` has,
 * searches those in which the first finds nothing, or in which every face is wanted.
 */
export type DetectorChoice = { name: string; first: DetectorModel; second?: DetectorModel };

/** The detectors whose networks a choice runs. */
export const detectorsOf = ({ first, second }: DetectorChoice): readonly DetectorModel[] =>
  second === undefined ? [first] : [first, second];

/** Every detector alone, and before them `auto`, if both of its detectors are there. */
export function detectorChoices(detectors: readonly DetectorModel[]): DetectorChoice[] {
  const named = (name: string) => detectors.find((detector) => detector.name === name);
  const [first, second] = [named("ssd"), named("blazeface")];
  const alone = detectors.map((detector) => ({ name: detector.name, first: detector }));
  return first && second ? [{ name: autoName, first, second }, ...alone] : alone;
}

/** No entry may have this name. */
export const autoName = "auto";
