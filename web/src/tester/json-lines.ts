/** A line of formatted JSON. */
type JsonLine = {
  text: string;
  /** The names and indices that lead to its value, such as `facial_areas.img1.x`. "" for the whole. */
  path: string;
};

/**
 * Returns JSON in lines, indented by two spaces. A list of more than `listMax` numbers is shortened to its
 * first four: embeddings are too long to read.
 */
export function jsonLines(value: unknown, listMax = 16): JsonLine[] {
  return linesOf(value, { path: "", indent: "", before: "", after: "", listMax });
}

function linesOf(value: unknown, at: Place): JsonLine[] {
  const { path, indent, before, after, listMax } = at;
  const line = (text: string): JsonLine => ({ text: indent + text, path });
  const isList = Array.isArray(value);
  if (isList && value.every((item) => typeof item === "number")) {
    return [line(`${before}${numbers(value, listMax)}${after}`)];
  }
  if (typeof value !== "object" || value === null) return [line(before + JSON.stringify(value) + after)];
  const entries = Object.entries(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return [line(before + open + close + after)];
  const inner = entries.flatMap(([name, item], index) =>
    linesOf(item, {
      path: path === "" ? name : `${path}.${name}`,
      indent: `${indent}  `,
      before: isList ? "" : `${JSON.stringify(name)}: `,
      after: index === entries.length - 1 ? "" : ",",
      listMax,
    }),
  );
  return [line(before + open), ...inner, line(close + after)];
}

function numbers(list: number[], listMax: number): string {
  if (list.length <= listMax) return `[${list.join(", ")}]`;
  return `[${list.slice(0, 4).join(", ")}, … ${list.length} numbers]`;
}

type Place = { path: string; indent: string; before: string; after: string; listMax: number };
