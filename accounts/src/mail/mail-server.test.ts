import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test, { type TestContext } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { openSmtpServer } from "../../testing/smtp-server.ts";
import { MailConfig } from "./config.ts";
import { type Message, openMailServer } from "./mail-server.ts";
import { signInMessage } from "./sign-in-mail.ts";

const SMTP_FROM = "faceline@example.test";
const address = `https://faces.example/sign-in/${"a".repeat(43)}`;

test("a mail reaches an SMTP server as text alone, with the whole address in it", async () => {
  await using server = await openSmtpServer();
  const send = openMailServer(MailConfig.parse({ SMTP_URL: server.url, SMTP_FROM }));
  await send?.(signInMessage("ada@example.test", { address, hours: 24 }));
  const [mail] = server.mails;
  assert.deepEqual([mail?.from, mail?.to], [SMTP_FROM, ["ada@example.test"]]);
  assert.match(mail?.text ?? "", /^Content-Type: text\/plain/im);
  assert.doesNotMatch(mail?.text ?? "", /multipart|text\/html/);
  assert.ok(mail?.text.includes(address));
});

test("the mail has the address and how long it works in each language", () => {
  for (const language of ["en", "de", "es"] as const) {
    const { text } = signInMessage("ada@example.test", { address, hours: 24 }, language);
    assert.ok(text.includes(`\n${address}\n`), language);
    assert.match(text, /\b24 (hours|Stunden|horas)\b/);
    assert.doesNotMatch(text, /[{}]/);
  }
});

test("whatever a recipient holds beside one address is refused, and nothing is sent", async () => {
  await using server = await openSmtpServer();
  const send = openMailServer(MailConfig.parse({ SMTP_URL: server.url, SMTP_FROM }))!;
  for (const to of [
    "ada@example.test\r\nBcc: eve@example.test",
    "ada@example.test, eve@example.test",
    "ada@example.test\nSubject: other",
    "Ada <ada@example.test>",
  ]) {
    await assert.rejects(send({ to, subject: "s", text: "t" }), JSON.stringify(to));
  }
  assert.deepEqual(server.mails, []);
});

test("line breaks in a subject make no header", async () => {
  await using server = await openSmtpServer();
  const send = openMailServer(MailConfig.parse({ SMTP_URL: server.url, SMTP_FROM }))!;
  await send({ to: "ada@example.test", subject: "one\r\nBcc: eve@example.test", text: "t" });
  assert.deepEqual(server.mails[0]?.to, ["ada@example.test"]);
  assert.doesNotMatch(server.mails[0]?.text ?? "", /^bcc:/im);
});

test("a mail cannot name a file or an address on the web for its text", async () => {
  await using server = await openSmtpServer();
  const send = openMailServer(MailConfig.parse({ SMTP_URL: server.url, SMTP_FROM }))!;
  for (const text of [{ path: import.meta.filename }, { href: "http://127.0.0.1:1/" }]) {
    const hostile = { ...message, text } as unknown as Message;
    await assert.rejects(send(hostile), ({ cause }: Error) => /access rejected/.test(String(cause)));
  }
  assert.deepEqual(server.mails, []);
});

test("a password is not sent to a server that does not encrypt, and neither is the mail", async () => {
  await using server = await openSmtpServer({ password: "secret" });
  for (const config of [
    { SMTP_URL: withUser(server.url, "ada:secret") },
    { SMTP_URL: withUser(server.url, "ada"), SMTP_PASSWORD_FILE: "secret" },
  ]) {
    const send = openMailServer({ ...config, SMTP_FROM })!;
    await assert.rejects(send(message), /it offers no STARTTLS, so the password was not sent: .*smtps:/);
  }
  assert.deepEqual([server.logins, server.mails], [[], []]);
});

test("a password goes over STARTTLS, to a server whose certificate is trusted", async (t) => {
  const certificate = await makeCertificate(t);
  if (certificate === undefined) return;
  await using server = await openSmtpServer({ password: "secret", certificate });
  const send = (password: string) =>
    openMailServer({ SMTP_URL: withUser(server.url, "ada"), SMTP_PASSWORD_FILE: password, SMTP_FROM })!(
      message,
    );
  await assert.rejects(send("secret"), /its certificate is not trusted/);
  assert.deepEqual([server.logins, server.mails], [[], []]);

  const trusted = getCACertificates("default");
  t.after(() => setDefaultCACertificates(trusted));
  setDefaultCACertificates([...trusted, certificate.cert]);
  await send("secret");
  assert.deepEqual(server.logins, [{ user: "ada", password: "secret", encrypted: true }]);
  assert.equal(server.mails.length, 1);
  await assert.rejects(send("wrong"), /it refused the user or the password/);
  assert.equal(server.mails.length, 1);
});

test("a user without a password, a password without a user, and options in the address are wrong settings", () => {
  const open = (config: MailConfig) => () => openMailServer({ ...config, SMTP_FROM });
  assert.throws(
    open({ SMTP_URL: "smtp://ada@mail.example" }),
    /^Error: SMTP_PASSWORD_FILE: set the password/,
  );
  assert.throws(open({ SMTP_URL: "smtp://mail.example", SMTP_PASSWORD_FILE: "x" }), /^Error: SMTP_URL: name/);
  for (const end of ["?requireTLS=false", "?tls.rejectUnauthorized=false", "/x", "#x"]) {
    assert.equal(MailConfig.safeParse({ SMTP_URL: `smtp://mail.example${end}` }).success, false, end);
  }
});

test("why a mail was not sent is a sentence without what the server said", async () => {
  await using server = await openSmtpServer({ refused: "ada@example.test" });
  const refused = openMailServer({ SMTP_URL: server.url, SMTP_FROM })!;
  await assert.rejects(refused(message), {
    message: "The server of SMTP_URL did not take the mail: it refused the mail.",
  });
  const nobody = openMailServer({ SMTP_URL: "smtp://127.0.0.1:1", SMTP_FROM })!;
  await assert.rejects(nobody(message), /it cannot be reached/);
});

test("without a server there is no mail; a server without a sender, or no SMTP address, is a wrong setting", () => {
  assert.equal(openMailServer(MailConfig.parse({})), undefined);
  assert.throws(() => openMailServer(MailConfig.parse({ SMTP_URL: "smtp://localhost" })), /SMTP_FROM/);
  assert.equal(MailConfig.safeParse({ SMTP_URL: "https://mail.example" }).success, false);
  assert.equal(MailConfig.safeParse({ SMTP_FROM: "a@example.test\r\nX: y" }).success, false);
});

const message: Message = { to: "ada@example.test", subject: "s", text: "t" };

const withUser = (url: string, user: string): string => url.replace("//", `//${user}@`);

/** A certificate for loopback that nobody signed. Undefined if openssl is missing: the test is skipped. */
async function makeCertificate(t: TestContext): Promise<{ key: string; cert: string } | undefined> {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "-"];
  try {
    const run = promisify(execFile);
    const { stdout } = await run("openssl", ["req", "-x509", "-days", "2", ...key, ...subject]);
    const [cert = ""] = /-----BEGIN CERTIFICATE[^]*/.exec(stdout) ?? [];
    return { key: stdout, cert };
  } catch {
    t.skip("NOT CHECKED with TLS: there is no openssl on PATH");
    return undefined;
  }
}
