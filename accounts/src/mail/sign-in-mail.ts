import type { Message } from "./mail-server.ts";

/** The mail that brings a sign-in address. It says nothing that the reader did not cause. */
export const signInMail = (to: string, { address, hours }: SignInAddress): Message => ({
  to,
  subject: "Your sign-in link for Faceline",
  text: `Open this address and press the button to sign in to Faceline:

${address}

It works once, within ${hours === 1 ? "one hour" : `${hours} hours`}. Whoever has it can sign in as you, so
do not pass it on. If you did not ask for it, you need not do anything.
`,
});

/** `hours`: how long it is valid. */
type SignInAddress = { address: string; hours: number };
