import { codeBlock } from "../docs/code-block.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { AccountPage } from "./account-page.ts";
import { keyFlashAddress } from "./flash.ts";
import { field } from "./form.ts";
import { instant } from "./instant.ts";
import { keyPrefix, type KeyView, lastUse } from "./key-view.ts";

const back = (): Html => html`<p><a href="/dashboard">Back to the dashboard</a></p>`;

/** The only page that shows a key. `samples`: addresses of two images of the same person. */
export const newKeyPage = ({ id, name, key, overlap, origin, samples }: NewKey): AccountPage => ({
  path: "/dashboard",
  title: "Your new key",
  description: "A key, shown only this once.",
  scripts: ["code.js", "shown-once.js"],
  content: html`<div class="prose" data-reload="${keyFlashAddress(id, "key_made")}">
<h1>Your new key</h1>
<p class="lead">This is the key “${name}”. Save it now: it is shown only once, and nobody can look it up later.</p>
!${overlapNote(overlap)}!${codeBlock({ caption: "Key", code: key, language: "curl" })}
<p>Try it: the first command downloads two sample images of a synthetic person, the second one compares their
faces.</p>
!${codeBlock({ caption: "Try the key", code: firstCall({ key, origin, samples }), language: "curl" })}
<ul>
<li>Keep keys on servers, in an environment variable or a secret store.</li>
<li><a href="/docs/reference">The reference</a> has every endpoint, in curl, Python and TypeScript.</li>
</ul>
!${back()}
</div>`,
});

function overlapNote(overlap: string | undefined): Html {
  if (overlap === undefined) return nothing;
  return html`<p class="note">The old key stays valid for ${overlap}. Update your programs by then.</p>
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

const keyFrame = (title: string, content: Html): AccountPage => ({
  path: "/dashboard",
  title,
  description: "A key of a team.",
  content: html`<div class="prose">
!${back()}
<h1>${title}</h1>
!${markup(content)}
</div>`,
});

/** `error`: what is wrong with `name`, which was sent. */
export const renamePage = ({
  key,
  error,
  name,
}: {
  key: KeyView;
  error?: string;
  name?: string;
}): AccountPage =>
  keyFrame(
    `Rename “${key.name}”`,
    html`<p>!${keyPrefix(key)}, created !${instant(key.createdAt)}</p>
<form method="post" action="/dashboard/keys/${key.id}/rename" class="form">
!${field({ name: "name", label: "Name", max: 64, required: true, value: name ?? key.name, error })}
<div class="form actions">
<button class="button">Rename the key</button>
<a class="button quiet" href="/dashboard">Cancel</a>
</div>
</form>`,
  );

/** Asks how long a key stays valid after its rotation. */
export const rotatePage = ({ key }: { key: KeyView }): AccountPage =>
  keyFrame(
    `Rotate “${key.name}”?`,
    html`<p class="lead">You get a new key of the same name. The old key stays valid for a while, so that you can update your
programs without downtime.</p>
<p>!${keyPrefix(key)}, last used: !${lastUse(key)}.</p>
<form method="post" action="/dashboard/keys/${key.id}/rotate" class="form">
<div class="field">
<label for="overlap">The old key stays valid for</label>
<select id="overlap" name="overlap">!${each(overlaps, (overlap) => overlapOption(overlap))}</select>
</div>
<div class="form actions">
<button class="button">Rotate the key</button>
<a class="button quiet" href="/dashboard">Cancel</a>
</div>
</form>`,
  );

/** How long a key that was rotated may stay valid. */
export const overlaps = [
  { hours: 1, text: "1 hour" },
  { hours: 24, text: "1 day" },
  { hours: 168, text: "7 days" },
] as const;

const overlapOption = ({ hours, text }: (typeof overlaps)[number]): Html =>
  hours === 24
    ? html`<option value="${hours}" selected>${text}</option>`
    : html`<option value="${hours}">${text}</option>`;

export const revokePage = ({ key }: { key: KeyView }): AccountPage =>
  keyFrame(
    `Revoke “${key.name}”?`,
    html`<p class="lead">Requests with this key will be refused at once. This cannot be undone.</p>
<p>!${keyPrefix(key)}, last used: !${lastUse(key)}.</p>
<form method="post" action="/dashboard/keys/${key.id}/revoke" class="form actions">
<button class="button danger">Revoke the key</button>
<a class="button quiet" href="/dashboard">Cancel</a>
</form>`,
  );

/** The response to rotating a key that was already rotated: a form that was sent twice, or an old page. */
export const rotatedKeyPage = ({ key, now }: { key: KeyView; now: number }): AccountPage =>
  keyFrame(
    "This key was rotated already",
    html`<p class="lead">No key was created. The newer “${key.name}” was shown when it was created. If it is lost, revoke it and
create another key.</p>
!${markup(key.expiresAt === undefined ? nothing : html`<p class="note">The old key !${markup(now < key.expiresAt ? html`is valid until` : html`has been refused since`)} !${instant(key.expiresAt)}.</p>`)}`,
  );

export const tooManyKeysPage = ({ keysMax }: { keysMax: number }): AccountPage =>
  keyFrame(
    "The team has too many keys",
    html`<p class="lead">It has ${keysMax} valid keys, the maximum. Revoke one that nobody uses, then create the new one.</p>`,
  );

/** `overlap`: how long the key that was rotated stays valid, such as `1 day`. */
type NewKey = {
  id: string;
  name: string;
  key: string;
  overlap?: string | undefined;
  origin: string;
  samples: [string, string];
};
