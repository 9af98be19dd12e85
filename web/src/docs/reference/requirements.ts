import type { Schema } from "./document.ts";

/**
 * Returns which fields must be sent, where more than one would do: sentences for `allOf` and `oneOf`, with
 * the names in back-ticks. Throws if these say more than which fields must be there.
 */
export function requirementTexts({ allOf = [], oneOf = [] }: Schema): string[] {
  if (![...allOf, ...oneOf].every(isRequirement)) {
    throw new Error("The reference shows allOf and oneOf of an object only where they list required fields");
  }
  const sentences = allOf.map((option) => `Send ${alternatives(option)}.`);
  if (oneOf.length === 0) return sentences;
  return [...sentences, `Send exactly one of these: ${oneOf.map(alternatives).join("; ")}.`];
}

const alternatives = ({ required = [], anyOf = [] }: Schema): string =>
  [...required.map((name) => `\`${name}\``), ...anyOf.map(alternatives)].join(" or ");

const isRequirement = ({ required, anyOf, ...more }: Schema): boolean =>
  Object.keys(more).length === 0 && (required !== undefined || (anyOf?.every(isRequirement) ?? false));
