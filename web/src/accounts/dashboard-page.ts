import type { LimitOverrides } from "@faceline/contracts/stored/team";
import type { Facts } from "../facts.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { statusNote } from "./flash.ts";
import { errorNote, field } from "./form.ts";
import { keyAction, type KeyView, keyTable } from "./key-view.ts";
import { limitTexts } from "./limits-form.ts";

/** The dashboard of a team. `error`: what is wrong with the name of a key that was sent. */
export const dashboardPage = (view: DashboardView): AccountPage => ({
  path: "/dashboard",
  title: "Dashboard",
  description: "Keys, usage and limits of a team.",
  scripts: ["code.js"],
  content: html`<div class="dashboard">
<div class="heading">
<h1>Dashboard</h1>
<p class="dim">Team <strong>${view.team}</strong>, signed in as ${view.email}</p>
</div>
!${statusNote(view.flash)}!${errorNote([{ name: "name", label: keyNameLabel, error: view.error }])}!${keySection(view)}
!${each(
    view.sections,
    (section) => html`!${markup(section)}
`,
  )}!${limitSection(view)}
</div>`,
});

function keySection({ keys, keysMax, now, name, error }: DashboardView): Html {
  return html`<section aria-labelledby="keys">
<h2 id="keys">Keys</h2>
!${keyList(keys, now)}
<form method="post" action="/dashboard/keys" class="form row">
!${field({ name: "name", label: keyNameLabel, hint: "The program or place that will use it.", max: 64, required: true, value: name, error })}
<button class="button">Create a key</button>
</form>
<p class="dim">A key is shown once, when you create it. A team can have up to ${keysMax} valid keys. Use one key per program, so
that you can revoke each alone.</p>
</section>`;
}

const keyNameLabel = "Name of a new key";

const keyList = (keys: KeyView[], now: number): Html =>
  keys.length === 0 ? noKeys() : keyTable({ keys, now, actions });

const noKeys = (): Html =>
  html`<p class="note">This team has no key yet. Create one: it comes with a first request to paste.</p>`;

/** A rotated key is not rotated again: the newer one is. */
function actions({ id, name, prefix = "", disabled, expiresAt }: KeyView): Html {
  if (disabled) return nothing;
  const verbs = ["Rename", ...(expiresAt === undefined ? ["Rotate"] : []), "Revoke"];
  return each(verbs, (verb) =>
    keyAction(`/dashboard/keys/${id}/${verb.toLowerCase()}`, verb, `${name}, ${prefix}…`),
  );
}

function limitSection({ limits, facts }: DashboardView): Html {
  return html`<section aria-labelledby="limits">
<h2 id="limits">Limits</h2>
<p class="dim">All keys of the team share them. Above the last one, bodies are read more slowly; above the others, requests
get a 429: <a href="/docs/limits">how to handle it</a>.</p>
<div class="wide narrow"><table>
<tbody>!${each(
    limitTexts(limits, facts),
    ({ label, text }) => html`<tr><th scope="row">${label}</th><td class="number">${text}</td></tr>
`,
  )}</tbody>
</table></div>
</section>`;
}

type DashboardView = {
  team: string;
  email: string;
  keys: KeyView[];
  keysMax: number;
  limits: LimitOverrides;
  facts: Facts;
  /** More sections, between keys and limits. */
  sections: Html[];
  now: number;
  flash?: string | undefined;
  name?: string | undefined;
  error?: string | undefined;
};
