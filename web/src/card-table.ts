import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";

/**
 * Returns a table whose rows are cards on a phone, where each cell has the head of its column beside it. The
 * roles are for screen readers: some do not recognise a table that is displayed as a grid.
 */
export function cardTable<Row>({ label, columns, rows, caption, kind }: CardTable<Row>): Html {
  return html`<div class="wide cards" tabindex="0" role="region" aria-label="${label}"><table class="${kind}" role="table">
!${markup(caption === undefined ? nothing : html`<caption>${caption}</caption>`)}
<thead role="rowgroup"><tr role="row">!${each(columns, columnHead)}</tr></thead>
<tbody role="rowgroup">!${each(
    rows,
    (row) => html`<tr role="row">!${each(columns, (column) => cell(column, row))}</tr>
`,
  )}</tbody>
</table></div>`;
}

const columnHead = ({ head, type }: Pick<Column<never>, "head" | "type">): Html =>
  type === "actions"
    ? html`<th role="columnheader"><span class="visually-hidden">${head}</span></th>`
    : html`<th role="columnheader" class="${type}">${head}</th>`;

function cell<Row>({ head, type, content }: Column<Row>, row: Row): Html {
  if (type === "name") {
    return html`<th scope="row" role="rowheader" class="name">!${markup(content(row))}</th>`;
  }
  return type === "actions"
    ? html`<td role="cell" class="row-actions">!${markup(content(row))}</td>`
    : html`<td role="cell" class="${type}" data-label="${head}"><div>!${markup(content(row))}</div></td>`;
}

/** A cell of type `name` names its row. `actions` has no visible head. */
export type Column<Row> = { head: string; type?: "name" | "number" | "actions"; content(row: Row): Html };
type CardTable<Row> = {
  /** Name of the table, for screen readers. */
  label: string;
  columns: Column<Row>[];
  rows: Iterable<Row>;
  caption?: string;
  /** Class of a table with a style of its own. */
  kind?: string;
};
