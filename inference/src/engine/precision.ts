import type { Model, Precision } from "@faceline/models/catalogue";
import * as z from "zod";

/**
 * In which precision models run. `int8` takes a third of the time of `float`, and is as right; it needs a CPU whose
 * arithmetic does not clip sums of products, which is found out at the start: then `auto` falls back to float, and
 * `int8` is refused.
 */
export const PrecisionWish = z.enum(["auto", "float", "int8"]);
export type PrecisionWish = z.infer<typeof PrecisionWish>;

/** `auto` for all models, or for some of them: `int8,ssd=float`. */
export const PrecisionWishes = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim().split("=")))
  .pipe(z.array(z.tuple([z.string(), PrecisionWish]).or(z.tuple([PrecisionWish]))))
  .transform((wishes): PrecisionWishes => {
    const general = wishes.flatMap((wish) => (wish.length === 1 ? wish : [])).at(-1) ?? "auto";
    const named = new Map(wishes.flatMap((wish) => (wish.length === 2 ? [wish] : [])));
    return { general, named };
  });
export type PrecisionWishes = { general: PrecisionWish; named: ReadonlyMap<string, PrecisionWish> };

/** What is tried first. Throws where int8 is asked for and cannot be had. */
export function precisionFor(model: Model, wishes: PrecisionWishes, executionProvider: string): Precision {
  const wish = wishes.named.get(model.name) ?? wishes.general;
  const built = model.builds.some(({ precision }) => precision === "int8");
  // A wish for all models is one for those that have the choice.
  const must = wishes.named.get(model.name) === "int8";
  if (must && !built) throw new Error(`PRECISION asks for ${model.name} in int8, of which there is no build`);
  if (executionProvider !== "cpu") {
    if (wish !== "int8") return "float32";
    throw new Error(`PRECISION asks for int8, which ${executionProvider} does not run; only cpu does`);
  }
  return wish !== "float" && built ? "int8" : "float32";
}

/** Whether int8 that strays is an error: it was asked for by name, not left to the service. */
export function mustBeInt8({ name }: Model, { general, named }: PrecisionWishes): boolean {
  return (named.get(name) ?? general) === "int8";
}
