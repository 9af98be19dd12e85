import { type FormEntry, formFieldsMax, tooManyFields } from "./form.ts";
import type { JsonLimits } from "./json.ts";

/** The fields of `application/x-www-form-urlencoded`. Counted before they are taken apart: a field is two bytes. */
export function urlencodedFields(bytes: Buffer, limits: JsonLimits): FormEntry[] {
  const text = bytes.toString("utf8");
  const max = formFieldsMax(limits);
  let fields = 1;
  for (let at = text.indexOf("&"); at !== -1 && fields <= max; at = text.indexOf("&", at + 1)) fields++;
  if (fields > max) throw tooManyFields(firstNames(text, max), limits);
  return [...new URLSearchParams(text)];
}

const firstNames = (text: string, max: number): string[] =>
  text.split("&", max).map((field) => field.split("=", 1)[0]!);
