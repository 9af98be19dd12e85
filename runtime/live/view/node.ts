/**
 * An element of the page as a value. What the page shows is a pure function from a state to these;
 * browser/patch.ts makes the document like them.
 */
export type ViewNode = {
  tag: string;
  attributes: Record<string, string>;
  children: (ViewNode | string)[];
};

/** Children that are undefined are left out. Numbers in attributes are written with at most two decimals. */
export function node(tag: string, attributes: Attributes = {}, ...children: Child[]): ViewNode {
  return {
    tag,
    attributes: Object.fromEntries(
      Object.entries(attributes).flatMap(([name, value]) =>
        value === undefined
          ? []
          : [[name, typeof value === "number" ? `${Number(value.toFixed(2))}` : value]],
      ),
    ),
    children: children.flat().filter((child) => child !== undefined),
  };
}

/** The text that a reader sees in it. */
export const textOf = (shown: ViewNode | string): string =>
  typeof shown === "string" ? shown : shown.children.map(textOf).join(" ");

type Attributes = Record<string, string | number | undefined>;
type Child = ViewNode | string | undefined | (ViewNode | string | undefined)[];
