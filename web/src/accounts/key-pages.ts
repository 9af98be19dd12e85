import { codeBlock } from "../docs/code-block.ts";
import { each, type Html, html, markup, nothing } from "../html.ts";
import type { AccountPage } from "./account-page.ts";
import { keyFlashAddress } from "./flash.ts";
import { field } from "./form.ts";
import { instant } from "./instant.ts";
import { keyPrefix, type KeyView, lastUse } from "./key-view.ts";

const back = (): Html => html`<p><a href="/dashboard">Back to the dashboard</a></p>`;

/** The one page that shows a key. `samples`: addresses of two pictures of the same person. */
export const newKeyPage = ({ id, name, key, overlap, origin, samples }: NewKey): AccountPage => ({
  path: "/dashboard",
  title: "Your new key",
  description: "A key, shown this once.",
  scripts: ["code.js", "shown-once.js"],
  content: html`<div class="prose" data-reload="${keyFlashAddress(id, "key_made")}">
<h1>Your new key</h1>
<p class="lead">This is the key “${name}”. Keep it now: it is shown this once, and nobody can look it up later.</p>
!${overlapNote(overlap)}!${codeBlock({ caption: "Key", code: key, language: "curl" })}
<p>A first call with it. The first command fetches two pictures of this service, of a person who does not exist; the
second asks whether they show the same face.</p>
!${codeBlock({ caption: "First call", code: firstCall({ key, origin, samples }), language: "curl" })}
<ul>
<li>Keep keys on servers, in an environment variable or a secret store.</li>
<li><a href="/docs/reference">The reference</a> has every call, in curl, Python and TypeScript.</li>
</ul>
!${back()}
</div>`,
});

function overlapNote(overlap: string | undefined): Html {
  if (overlap === undefined) return nothing;
  return html`<p class="note">The old key stays valid for ${overlap}, and is refused from then on. Change your programs by then.</p>
`;
}

/** Two commands in one block, so that pasting it runs them in order. */
function firstCall({ key, origin, samples }: Pick<NewKey, "key" | "origin" | "samples">): string {
  const [one, other] = samples.map((address) => origin + address);
  const [first, second] = samples.map((address) => address.split("/").at(-1)!);
  return `curl -sS -O ${one} -O ${other}
curl -sS ${origin}/verify \\
  -H "x-api-key: ${key}" \\
  -F img1=@${first} \\
  -F img2=@${second}`;
}

/** A key, with forms to change it. One that was replaced is not replaced again: the newer one is. */
export const keyPage = ({ key, now, error, name }: KeyState): AccountPage => ({
  path: "/dashboard",
  title: `Key ${key.name}`,
  description: "Rename, replace or revoke a key.",
  content: html`<div class="prose">
!${back()}
<h1>Key “${key.name}”</h1>
<p class="dim">!${keyPrefix(key)}, created !${instant(key.createdAt)}</p>
!${markup(key.expiresAt === undefined ? nothing : replacedNote(key.expiresAt, now))}<h2>Name</h2>
<form method="post" action="/dashboard/keys/${key.id}/name" class="form">
!${field({ name: "name", label: "Name", max: 64, required: true, value: name ?? key.name, error })}
<button class="button quiet">Rename</button>
</form>
!${markup(key.expiresAt === undefined ? replacePart(key.id) : nothing)}<h2>Revoke</h2>
<p>The key is refused at once, for good.</p>
<p class="actions"><a class="button quiet danger" href="/dashboard/keys/${key.id}/revoke">Revoke the key …</a></p>
</div>`,
});

const replacedNote = (expiresAt: number, now: number): Html =>
  now < expiresAt
    ? html`<p class="note">A newer key has replaced this one. It stays valid until !${instant(expiresAt)}, and is refused from then on.</p>
`
    : html`<p class="note">A newer key has replaced this one. It has been refused since !${instant(expiresAt)}.</p>
`;

const replacePart = (id: string): Html => html`<h2>Replace</h2>
<p>You get a new key of the same name. The old key stays valid for the time that you choose here, so that you can change
your programs without a pause. After it, the old key is refused.</p>
<form method="post" action="/dashboard/keys/${id}/rotate" class="form">
<div class="field">
<label for="overlap">The old key stays valid for</label>
<select id="overlap" name="overlap">!${each(overlaps, (overlap) => overlapOption(overlap))}</select>
</div>
<button class="button quiet">Replace the key</button>
</form>
`;

/** How long a key that is replaced may stay valid. */
export const overlaps = [
  { hours: 1, text: "1 hour" },
  { hours: 24, text: "1 day" },
  { hours: 168, text: "7 days" },
] as const;

const overlapOption = ({ hours, text }: (typeof overlaps)[number]): Html =>
  hours === 24
    ? html`<option value="${hours}" selected>${text}</option>`
    : html`<option value="${hours}">${text}</option>`;

export const revokePage = ({ key }: { key: KeyView }): AccountPage => ({
  path: "/dashboard",
  title: `Revoke ${key.name}?`,
  description: "Revoke a key.",
  content: html`<div class="prose">
<h1>Revoke “${key.name}”?</h1>
<p class="lead">Requests with this key are refused at once. This cannot be undone.</p>
<p>!${keyPrefix(key)}, last used: !${lastUse(key)}.</p>
<form method="post" action="/dashboard/keys/${key.id}/revoke" class="form actions">
<button class="button danger">Revoke the key</button>
<a class="button quiet" href="/dashboard">Keep it</a>
</form>
</div>`,
});

/** The response to a form that was sent twice, or came from an old page. */
export const replacedKeyPage = ({ key }: { key: KeyView }): AccountPage => ({
  path: "/dashboard",
  title: "This key has been replaced already",
  description: "There is a newer key.",
  content: html`<div class="prose">
<h1>This key has been replaced already</h1>
<p class="lead">No key was made. The newer key called “${key.name}” was shown when it was made. If it is lost, revoke it and
create another one.</p>
!${back()}
</div>`,
});

export const tooManyKeysPage = ({ keysMax }: { keysMax: number }): AccountPage => ({
  path: "/dashboard",
  title: "The team has too many keys",
  description: "Revoke a key first.",
  content: html`<div class="prose">
<h1>The team has too many keys</h1>
<p class="lead">It has ${keysMax} valid keys, the most that it may have. Revoke one that nobody uses, then create the new one.</p>
!${back()}
</div>`,
});

/** `error`: what is wrong with `name`, which was sent. */
type KeyState = { key: KeyView; now: number; error?: string; name?: string };

/** `overlap`: how long the key that this one replaces stays valid, such as `1 day`. */
type NewKey = {
  id: string;
  name: string;
  key: string;
  overlap?: string | undefined;
  origin: string;
  samples: [string, string];
};
