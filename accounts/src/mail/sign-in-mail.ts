import type { Message } from "./mail-server.ts";

/** The mail that brings a sign-in link. It says nothing that the reader did not cause. */
export const signInMessage = (
  to: string,
  { address, hours }: SignInLink,
  { subject, text }: SignInMailWords = signInMail,
): Message => ({ to, subject, text: text(address, hours) });

/** The words of the mail in English. Other languages are in `web/src/words`. */
export const signInMail: SignInMailWords = {
  subject: "Your sign-in link for Faceline",
  text: (link, hours) => `Open this link and press the button to sign in to Faceline:

${link}

It works once, within ${hours === 1 ? "one hour" : `${hours} hours`}. Anybody who has it can sign in as you, so
do not share it. If you did not request it, ignore this mail.
`,
};

export type SignInMailWords = { subject: string; text(link: string, hours: number): string };
/** `hours`: how long it is valid. */
type SignInLink = { address: string; hours: number };
