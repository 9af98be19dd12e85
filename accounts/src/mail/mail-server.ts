import { createTransport } from "nodemailer";
import { Email } from "../people/email.ts";
import type { MailConfig } from "./config.ts";

const connectMs = 5_000;
const silenceMs = 10_000;

/**
 * Returns the function that sends one mail, or undefined when no server is configured. It resolves once the
 * server took the mail, and rejects with a sentence, after ten seconds of silence at the latest. Mails are
 * plain text to one address: a message cannot name files or web addresses, and a recipient with line breaks
 * or a list is refused. A password is sent only over TLS. Throws a sentence when there is a server but no
 * sender, or a user without a password.
 */
export function openMailServer(config: MailConfig): SendMail | undefined {
  const { SMTP_URL, SMTP_FROM } = config;
  if (SMTP_URL === undefined) return undefined;
  if (SMTP_FROM === undefined) throw new Error("SMTP_FROM: set the sender of the mails that SMTP_URL sends");
  const { url, hasPassword } = readAddress(SMTP_URL, config);
  const transport = createTransport({
    url: url.href,
    // Otherwise a server or a man in the middle that offers no STARTTLS would get the password in clear text.
    requireTLS: hasPassword,
    connectionTimeout: connectMs,
    greetingTimeout: silenceMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text }) => {
    const message = { from: SMTP_FROM, to: Email.parse(to), subject, text };
    try {
      await transport.sendMail(message);
    } catch (cause) {
      throw new Error(`The server of SMTP_URL did not take the mail: ${mailFailure(cause)}.`, { cause });
    }
  };
}

function readAddress(smtpUrl: string, { SMTP_PASSWORD_FILE }: MailConfig): ServerAddress {
  const url = new URL(smtpUrl);
  if (SMTP_PASSWORD_FILE !== undefined) url.password = encodeURIComponent(SMTP_PASSWORD_FILE);
  const [hasUser, hasPassword] = [url.username !== "", url.password !== ""];
  if (hasUser && !hasPassword)
    throw new Error("SMTP_PASSWORD_FILE: set the password of the user in SMTP_URL");
  if (hasPassword && !hasUser)
    throw new Error("SMTP_URL: name the user whose password SMTP_PASSWORD_FILE has");
  return { url, hasPassword };
}

type ServerAddress = { url: URL; hasPassword: boolean };

/** `to`: one mail address. */
export type Message = { to: string; subject: string; text: string };
export type SendMail = (message: Message) => Promise<void>;

/**
 * Returns why a mail was not sent, as the end of a sentence about the mail server. It never quotes the
 * server: servers repeat addresses, and some repeat what they were sent.
 */
function mailFailure(error: unknown): string {
  switch ((error as { code?: unknown }).code) {
    case "ETLS":
      return "it offers no STARTTLS, so the password was not sent: use a server that does, or smtps://";
    case "EAUTH":
    case "ENOAUTH":
      return "it refused the user or the password";
    case "ECONNECTION":
    case "EDNS":
    case "ESOCKET":
    case "ETIMEDOUT":
      return "it cannot be reached, or its certificate is not trusted";
    default:
      return "it refused the mail";
  }
}
