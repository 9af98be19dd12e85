/** Returns a text of a catalogue with its `{names}` filled in. Throws if one of them has no value. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`There is no value for ${placeholder} in: ${text}`);
    return String(value);
  });
}
