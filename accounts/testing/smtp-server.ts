import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/**
 * Opens a real SMTP server on a free port of loopback, which keeps the mails and passwords that it takes. It
 * refuses recipients with the address `refused`, and takes any user with the password `password`, also in
 * clear. With a certificate it offers STARTTLS.
 */
export async function openSmtpServer({
  refused,
  password,
  certificate,
}: TestSmtpOptions = {}): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const logins: Login[] = [];
  const server = new SMTPServer({
    authOptional: password === undefined,
    allowInsecureAuth: true,
    ...(certificate === undefined ? { disabledCommands: ["STARTTLS"] } : certificate),
    onAuth: (auth, { secure }, done) => {
      logins.push({ user: auth.username ?? "", password: auth.password ?? "", encrypted: secure });
      done(auth.password === password ? null : new Error("wrong"), { user: auth.username });
    },
    onRcptTo: ({ address }, _session, done) =>
      done(address === refused ? new Error("no such mailbox") : null),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        const raw = Buffer.concat(chunks).toString("utf8");
        mails.push({ from, to: rcptTo.map(({ address }) => address), text: withoutSoftBreaks(raw) });
        done();
      });
    },
  });
  // A client that breaks off TLS.
  server.on("error", () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    logins,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Quoted-printable text breaks long lines after `=`. */
const withoutSoftBreaks = (raw: string): string => raw.replaceAll("=\r\n", "");

/** `text`: the whole mail with its headers. */
type ReceivedMail = { from: string; to: string[]; text: string };
/** `encrypted`: over TLS. */
type Login = { user: string; password: string; encrypted: boolean };
/** `certificate`: in PEM. */
type TestSmtpOptions = {
  refused?: string;
  password?: string;
  certificate?: { key: string; cert: string };
};
type TestSmtpServer = AsyncDisposable & { url: string; mails: ReceivedMail[]; logins: Login[] };
