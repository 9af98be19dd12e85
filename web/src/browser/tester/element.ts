/** Returns a new element with attributes and children. Texts stay texts: nothing is parsed as HTML. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

/** The same for a drawing. */
export function drawing<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

/** Returns a table with these heads, which scrolls sideways if it is wider than the page. */
export function wideTable(label: string, heads: string[], rows: HTMLElement[]): HTMLElement {
  const cells = heads.map((text) => element("th", { scope: "col" }, text));
  const thead = element("thead", {}, element("tr", {}, ...cells));
  const table = element("table", {}, thead, element("tbody", {}, ...rows));
  return element("div", { class: "wide", tabindex: 0, role: "region", "aria-label": label }, table);
}

/** Returns the one element of this type that the page certainly has. */
export function find<Type extends Element>(
  type: new () => Type,
  selector: string,
  within: ParentNode = document,
): Type {
  const found = within.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`The page has no ${selector}`);
  return found;
}

function setAttributes(made: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
}

type Attributes = Record<string, string | number | boolean>;
