import type { ViewNode } from "../view/node.ts";

/**
 * Makes `element` like `wanted`: only what differs is touched, so an open table stays open, and what a reader
 * has selected or focused stays so. Children are compared by their place. Text never becomes HTML.
 */
export function patch(element: Element, wanted: ViewNode): void {
  patchAttributes(element, wanted.attributes);
  const { children } = wanted;
  for (const [index, child] of children.entries()) {
    const present = element.childNodes[index];
    if (present === undefined) element.append(created(child, element));
    else if (typeof child === "string") patchText(element, present, child);
    else if (present instanceof Element && present.localName === child.tag.toLowerCase())
      patch(present, child);
    else present.replaceWith(created(child, element));
  }
  while (element.childNodes.length > children.length) element.lastChild!.remove();
}

/** Attributes that the reader sets, not the view. */
const ownAttributes = new Set(["open"]);

function patchAttributes(element: Element, wanted: Record<string, string>): void {
  for (const [name, value] of Object.entries(wanted)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  for (const name of element.getAttributeNames()) {
    if (wanted[name] === undefined && !ownAttributes.has(name)) element.removeAttribute(name);
  }
}

function patchText(parent: Element, present: ChildNode, text: string): void {
  if (!(present instanceof Text)) present.replaceWith(text);
  else if (present.data !== text) present.data = text;
}

function created(wanted: ViewNode | string, parent: Element): Node {
  if (typeof wanted === "string") return document.createTextNode(wanted);
  const namespace = wanted.tag === "svg" ? svgNamespace : parent.namespaceURI;
  const element = document.createElementNS(namespace, wanted.tag);
  patch(element, wanted);
  return element;
}

const svgNamespace = "http://www.w3.org/2000/svg";
