import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

/**
 * Opens a real SMTP server on a free port of loopback, which keeps the mails that it takes. It refuses
 * recipients with the address `refused`.
 */
export async function openSmtpServer({ refused }: { refused?: string } = {}): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
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
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Quoted-printable text breaks long lines after `=`. */
const withoutSoftBreaks = (raw: string): string => raw.replaceAll("=\r\n", "");

/** `text`: the whole mail with its headers. */
type ReceivedMail = { from: string; to: string[]; text: string };
type TestSmtpServer = AsyncDisposable & { url: string; mails: ReceivedMail[] };
