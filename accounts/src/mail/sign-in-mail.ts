import type { Message } from "./mail-server.ts";
import mails from "./sign-in-mail.json" with { type: "json" };

/** Returns the mail that brings a sign-in link. It says nothing that the reader did not cause. */
export function signInMessage(
  to: string,
  { address, hours }: SignInLink,
  language: MailLanguage = "en",
): Message {
  const { subject, text } = mails[language];
  const duration = hours.toLocaleString(language, { style: "unit", unit: "hour", unitDisplay: "long" });
  return { to, subject, text: text.replace("{link}", () => address).replace("{duration}", duration) };
}

/** Languages that the mail is written in. */
export type MailLanguage = keyof typeof mails;
/** `hours`: how long it is valid. */
type SignInLink = { address: string; hours: number };
