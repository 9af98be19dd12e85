import { html as tag } from "ghtml";

declare const isHtml: unique symbol;

/** Text that is safe to send as HTML: the result of `html`, whose values are escaped. */
export type Html = string & { readonly [isHtml]: true };

/**
 * Tagged template for HTML. A value is escaped, even in an attribute, which must have quotes; undefined is
 * empty. `!${…}` inserts HTML as it is: only a call of a function that returns Html may follow it, which a
 * test enforces.
 */
export const html = tag as (literals: TemplateStringsArray, ...values: (Value | Html)[]) => Html;

/** Value of a template. A boolean is not one: `false` would be printed. */
type Value = string | number | undefined;

/** Returns its argument: for a value of type Html after `!${`. */
export function markup(part: Html | undefined): Html {
  return part ?? nothing;
}

/** Returns the HTML of all items, one after the other. */
export function each<Item>(items: Iterable<Item>, render: (item: Item, index: number) => Html): Html {
  return Array.from(items, render).join("") as Html;
}

export const nothing = "" as Html;
