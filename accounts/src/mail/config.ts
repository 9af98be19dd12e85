import { FileContent } from "@faceline/runtime/file-setting";
import * as z from "zod";
import { Email } from "../people/email.ts";

/** Settings of the mail server. Without its address no mail is sent. */
export const MailConfig = z.object({
  /**
   * `smtp://user@mail.example:587` (TLS by STARTTLS) or `smtps://user@mail.example` (TLS from the start).
   * Nothing may follow it: nodemailer would read options from a query.
   */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: "must be smtp://host:port or smtps://host:port" })
    .refine(isServerAlone, "must be smtp://host:port or smtps://host:port, with nothing behind it")
    .optional(),
  /** Password of the user in that address. */
  SMTP_PASSWORD_FILE: FileContent.optional(),
  /** The sender. Needed with SMTP_URL. */
  SMTP_FROM: Email.optional(),
});
export type MailConfig = z.infer<typeof MailConfig>;

function isServerAlone(text: string): boolean {
  const { pathname, search, hash } = new URL(text);
  return (pathname === "" || pathname === "/") && search === "" && hash === "";
}
