import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";

/** Returns a labelled field of a form, with its hint, and what is wrong with what was sent. */
export function field(options: Field): Html {
  const { name, label, hint, error } = options;
  const described = [hint === undefined ? "" : `${name}-hint`, error === undefined ? "" : `${name}-error`];
  const ids = described.filter((id) => id !== "").join(" ");
  return html`<div class="field">
<label for="${name}">${label}</label>
!${note(hint, `${name}-hint`, "hint")}!${note(error, `${name}-error`, "error")}!${control(options, ids)}
</div>
`;
}

const note = (text: string | undefined, id: string, kind: "hint" | "error"): Html =>
  text === undefined
    ? nothing
    : html`<p id="${id}" class="${kind}">${text}</p>
`;

function control(
  { name, type = "text", value = "", max, required, autocomplete, error }: Field,
  ids: string,
): Html {
  const described = ids === "" ? nothing : html` aria-describedby="${ids}"`;
  const state = html`id="${name}" name="${name}" maxlength="${max}"!${markup(described)} aria-invalid="${String(error !== undefined)}"`;
  const rest = html`!${markup(state)}!${flag("required", required === true)}`;
  return type === "area"
    ? html`<textarea !${markup(rest)} rows="5">${value}</textarea>`
    : html`<input !${markup(rest)} type="${type}" value="${value}" autocomplete="${autocomplete ?? "off"}" spellcheck="false">`;
}

const flag = (name: "required", isSet: boolean): Html => (isSet ? html` ${name}` : nothing);

/**
 * Returns what is wrong with a form, for the top of a page whose form is further down. It names each field
 * and links to it; empty without errors.
 */
export function errorNote(errors: FieldError[]): Html {
  const wrong = errors.filter(({ error }) => error !== undefined);
  if (wrong.length === 0) return nothing;
  return html`<div class="note warn" role="alert">
<p>Nothing was changed.</p>
<ul>
!${each(
    wrong,
    ({ name, label, error }) => html`<li><a href="#${name}">${label}</a>: ${error ?? ""}</li>
`,
  )}</ul>
</div>
`;
}

/** `name`: the id of the field with the error. */
export type FieldError = { name: string; label: string; error: string | undefined };

type Field = {
  /** Unique in the page: it is the id too. */
  name: string;
  label: string;
  type?: "text" | "email" | "area";
  hint?: string | undefined;
  error?: string | undefined;
  value?: string | undefined;
  /** Characters. */
  max: number;
  required?: boolean;
  autocomplete?: string;
};
