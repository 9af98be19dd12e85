import type { Model, Precision } from "@faceline/models/catalogue-entry";
import * as z from "zod";

/**
 * The precision that models run in. `int8` is as accurate as `float` and takes a third of its time, or half,
 * by CPU. `auto` runs the int8 build of each model that has one. Where its outputs at the start deviate from
 * float, `auto` falls back to float, and `int8` is an error. Times decide nothing.
 */
const PrecisionChoice = z.enum(["auto", "float", "int8"]);
type PrecisionChoice = z.infer<typeof PrecisionChoice>;

/**
 * The setting PRECISION: a choice for all models, or for single ones, as in `int8,ssd=float`. Default:
 * `auto`.
 */
export const PrecisionSetting = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim().split("=")))
  .pipe(z.array(z.tuple([z.string(), PrecisionChoice]).or(z.tuple([PrecisionChoice]))))
  .transform((choices): PrecisionSetting => {
    const general = choices.flatMap((choice) => (choice.length === 1 ? choice : [])).at(-1) ?? "auto";
    const byModel = new Map(choices.flatMap((choice) => (choice.length === 2 ? [choice] : [])));
    return { general, byModel };
  });
export type PrecisionSetting = { general: PrecisionChoice; byModel: ReadonlyMap<string, PrecisionChoice> };

/** The precision to try first. Throws one sentence if int8 is required and cannot run. */
export function precisionFor(
  model: Model,
  { general, byModel }: PrecisionSetting,
  executionProvider: string,
): Precision {
  const choice = byModel.get(model.name) ?? general;
  const hasInt8 = model.builds.some(({ precision }) => precision === "int8");
  // A choice for all models holds for those that have an int8 build.
  if (byModel.get(model.name) === "int8" && !hasInt8) {
    throw new Error(`PRECISION asks for ${model.name} in int8, but it has no int8 build`);
  }
  if (executionProvider !== "cpu") {
    if (choice !== "int8") return "float32";
    throw new Error(
      `PRECISION asks for int8, which ${executionProvider} does not run; only cpu does: set PRECISION to auto or float`,
    );
  }
  return choice !== "float" && hasInt8 ? "int8" : "float32";
}

/** Whether int8 is required by name: then a fallback to float would be an error. */
export function requiresInt8({ name }: Model, { general, byModel }: PrecisionSetting): boolean {
  return (byModel.get(name) ?? general) === "int8";
}
