import { createTransport } from "nodemailer";
import { Email } from "../people/email.ts";
import type { MailConfig } from "./config.ts";

const connectMs = 5_000;
const silenceMs = 10_000;

/**
 * Returns the function that sends one mail, or undefined when no server is configured. It resolves once the
 * server took the mail, and rejects after ten seconds of silence at the latest. Text alone, to one address:
 * a message cannot name files or addresses on the web, and a recipient with line breaks or a list is refused.
 * Throws a sentence when there is a server but no sender.
 */
export function openMailServer({
  SMTP_URL,
  SMTP_PASSWORD_FILE,
  SMTP_FROM,
}: MailConfig): SendMail | undefined {
  if (SMTP_URL === undefined) return undefined;
  if (SMTP_FROM === undefined) throw new Error("SMTP_FROM: set the sender of the mails that SMTP_URL sends");
  const url = new URL(SMTP_URL);
  if (SMTP_PASSWORD_FILE !== undefined) url.password = encodeURIComponent(SMTP_PASSWORD_FILE);
  const transport = createTransport({
    url: url.href,
    connectionTimeout: connectMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text }) => {
    await transport.sendMail({ from: SMTP_FROM, to: Email.parse(to), subject, text });
  };
}

/** `to`: one mail address. */
export type Message = { to: string; subject: string; text: string };
export type SendMail = (message: Message) => Promise<void>;
