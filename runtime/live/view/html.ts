import { escapeXml } from "../../plot/svg.ts";
import type { ViewNode } from "./node.ts";

/** Returns an element of a page as HTML, for a first sight without scripts. It has no void elements. */
export function htmlOf(shown: ViewNode | string): string {
  if (typeof shown === "string") return escapeXml(shown);
  const attributes = Object.entries(shown.attributes).map(
    ([name, value]) => ` ${name}="${escapeXml(value)}"`,
  );
  return `<${shown.tag}${attributes.join("")}>${shown.children.map(htmlOf).join("")}</${shown.tag}>`;
}
