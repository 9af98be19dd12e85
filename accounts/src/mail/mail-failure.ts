/**
 * Returns why a mail was not sent, as the end of a sentence about the mail server. What the server said is
 * not in it: servers repeat addresses, and some repeat what they were sent.
 */
export function mailFailure(error: unknown): string {
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
