import { type Html, html, nothing } from "@faceline/runtime/design/html";

/**
 * Flash messages: what was done before a page is shown, by the code in the page's address. Fixed sentences,
 * because anybody can write an address. `subject` is what the page itself is about: the email of a person,
 * the name of a key.
 */
const sentences = {
  key_made: (key) => `The key “${key}” was created. It cannot be shown again.`,
  key_renamed: (key) => `The key is now called “${key}”.`,
  key_revoked: (key) => `The key “${key}” is revoked. Requests with it are refused from now on.`,
  declined: () => "Declined: they are off the waitlist, and their text is deleted.",
  member_made: (email) =>
    `${email} is a member now. If they lose their sign-in link, create a new one below.`,
  member_mailed: (email) => `${email} is a member now. A sign-in link was mailed to them.`,
  member_known: (email) => `${email} is already a member of this team. Nothing was changed.`,
  address_mailed: (email) => `A sign-in link was mailed to ${email}. Earlier links no longer work.`,
  address_made: () => "The sign-in link cannot be shown again. If it is lost, create a new one below.",
  addresses_changed: () =>
    "No link was created: this person's links have changed since you opened the page. Check below whether a new one is needed.",
  addresses_cancelled: () => "Their sign-in links are cancelled. They no longer work.",
  sessions_ended: () => "They are signed out everywhere.",
  operator_made: (email) => `${email} is an operator now.`,
  limits_saved: () => "The limits are saved. They apply at once.",
} as const satisfies Record<string, (subject: string) => string>;

export type Flash = keyof typeof sentences;

export const isFlash = (code: unknown): code is Flash =>
  typeof code === "string" && Object.hasOwn(sentences, code);

/** Returns the address of a page that then says what was done. */
export const flashAddress = (path: string, flash: Flash): string => `${path}?done=${flash}`;

/** The same for the dashboard, or another page with the keys of a team, about one of them. */
export const keyFlashAddress = (id: string, flash: Flash, path = "/dashboard"): string =>
  `${flashAddress(path, flash)}&key=${id}`;

/** Returns the sentence, or undefined if nothing was done. */
export const flashText = (flash: Flash | undefined, subject = ""): string | undefined =>
  flash === undefined ? undefined : sentences[flash](subject);

/** A sentence that a screen reader reads out. */
export function statusNote(text: string | undefined): Html {
  if (text === undefined) return nothing;
  return html`<p class="note" role="status">${text}</p>
`;
}
