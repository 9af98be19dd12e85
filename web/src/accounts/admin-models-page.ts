import type { ModelRow } from "@faceline/accounts/models/model-rows";
import { each, type Html, html, nothing } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { adminPage } from "./admin-page.ts";
import { cardTable } from "./card-table.ts";

/** The models and detectors that the running ingresses have loaded, with what may be done to each. */
export const modelsPage = (view: ModelsView): AccountPage =>
  adminPage({
    path: "/admin/models",
    title: "Models",
    flash: view.notice,
    content: html`<h1>Models</h1>
<p>Models and detectors that requests may use. A change applies at once on every ingress, except to requests in flight.</p>
!${refusal(view.refusal)}!${silence(view)}!${table("Models", "model", view)}
!${table("Detectors", "detector", view)}
<p class="dim">The settings <code>MODELS</code> and <code>DETECTORS</code> list what can be enabled. Requests without a model or detector use the default.</p>`,
  });

const refusal = (text: string | undefined): Html =>
  text === undefined
    ? nothing
    : html`<p class="note" role="alert">${text} Nothing was changed.</p>
`;

const silence = ({ receivers, ingresses }: ModelsView): Html =>
  receivers === ingresses
    ? nothing
    : html`<p class="note">${receivers - ingresses} of ${receivers} ingresses did not respond. They will follow when they reach the durable
Redis again.</p>
`;

function table(title: string, noun: ModelRow["noun"], { rows, ingresses }: ModelsView): Html {
  const own = rows.filter((row) => row.noun === noun);
  return html`<section>
<h2>${title}</h2>
!${cardTable({
    label: title,
    columns: [
      { head: "Name", type: "name", content: ({ name }) => html`${name}` },
      { head: "State", content: ({ states }) => html`${states.join(", ")}` },
      {
        head: "Available on",
        content: ({ loadedBy }) =>
          html`${loadedBy} of ${ingresses} ${ingresses === 1 ? "ingress" : "ingresses"}`,
      },
      { head: "Actions", type: "actions", content: buttons },
    ],
    rows: own,
  })}
</section>`;
}

/** Returns no button for a default: another one must become it first. */
function buttons({ name, states }: ModelRow): Html {
  const actions = [
    ...(states.includes("disabled") ? [{ action: "enable", text: "Enable" }] : []),
    ...(states.includes("enabled") ? [{ action: "disable", text: "Disable" }] : []),
    ...(states.every((state) => state === "enabled") ? [{ action: "default", text: "Make default" }] : []),
  ];
  if (actions.length === 0) return nothing;
  return html`<form method="post" action="/admin/models" class="form actions">
<input type="hidden" name="name" value="${name}">
!${each(
    actions,
    ({
      action,
      text,
    }) => html`<button class="button quiet" name="action" value="${action}" aria-label="${text}: ${name}">${text}</button>
`,
  )}</form>`;
}

/** `receivers`: ingresses, of which `ingresses` replied. `notice`: what was changed. `refusal`: why not. */
type ModelsView = {
  rows: ModelRow[];
  ingresses: number;
  receivers: number;
  notice?: string | undefined;
  refusal?: string | undefined;
};
