/** Returns the fields of a JSON value with the types of their values; of a list, the shapes of its items. */
export function shapeOf(value: unknown): string {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  if (Array.isArray(value)) return `[${[...new Set(value.map(shapeOf))].toSorted().join("|")}]`;
  // Of kinds and reasons, the value is what tells them apart.
  const fields = Object.entries(value).map(([name, each]) =>
    typeof each === "string" && /^(kind|reason|end|code|serviceClass)$/.test(name)
      ? `${name}=${each}`
      : `${name}:${shapeOf(each)}`,
  );
  return `{${fields.toSorted().join(",")}}`;
}
