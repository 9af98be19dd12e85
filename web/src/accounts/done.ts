import { type Html, html, nothing } from "../html.ts";

/**
 * What was done before a page is shown, by the code in the page's address. Fixed sentences, because anybody
 * can write an address. `subject` is what the page itself says: the email of a person, the name of a key.
 */
const sentences = {
  key_made: (key) => `The key “${key}” is made. It was shown once, and cannot be shown again.`,
  key_renamed: (key) => `The key is called “${key}” now.`,
  key_revoked: (key) => `The key “${key}” is revoked: calls with it are refused from now on.`,
  declined: () => "Declined: they are off the waitlist, and what they wrote is removed.",
  member_made: (email) => `${email} is a member now. If their sign-in address is lost, make a new one below.`,
  member_mailed: (email) => `${email} is a member now. A sign-in address was mailed to them.`,
  member_known: (email) => `${email} is a member of this team already. Nothing was changed.`,
  address_mailed: (email) => `A sign-in address was mailed to ${email}. Earlier ones do not work any more.`,
  address_made: () =>
    "The sign-in address was shown once, and cannot be shown again. If it is lost, make a new one below.",
  addresses_changed: () =>
    "No address was made: those of this person have changed since the page was loaded. Look below, and make one if it is needed.",
  addresses_cancelled: () => "Their sign-in addresses are cancelled: none of them works any more.",
  sessions_ended: () => "All their sessions are ended: they are signed out everywhere.",
  operator_made: (email) => `${email} is an operator now.`,
  limits_saved: () => "The limits are saved. They hold at once.",
} as const satisfies Record<string, (subject: string) => string>;

export type Done = keyof typeof sentences;

export const isDone = (code: unknown): code is Done =>
  typeof code === "string" && Object.hasOwn(sentences, code);

/** Returns the address of a page that then says what was done. */
export const doneAddress = (path: string, done: Done): string => `${path}?done=${done}`;

/** The same for the dashboard, or another page with the keys of a team, about one of them. */
export const keyDoneAddress = (id: string, done: Done, path = "/dashboard"): string =>
  `${doneAddress(path, done)}&key=${id}`;

/** Returns the sentence, or undefined where nothing was done. */
export const doneText = (done: Done | undefined, subject = ""): string | undefined =>
  done === undefined ? undefined : sentences[done](subject);

/** A sentence that a screen reader reads out. */
export function statusNote(text: string | undefined): Html {
  if (text === undefined) return nothing;
  return html`<p class="note" role="status">${text}</p>
`;
}
