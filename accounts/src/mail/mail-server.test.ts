import assert from "node:assert/strict";
import test from "node:test";
import { openSmtpServer } from "../../testing/smtp-server.ts";
import { MailConfig } from "./config.ts";
import { type Message, openMailServer } from "./mail-server.ts";
import { signInMail } from "./sign-in-mail.ts";

const SMTP_FROM = "faceline@example.test";
const address = `https://faces.example/sign-in/${"a".repeat(43)}`;

test("a mail reaches an SMTP server as text alone, with the whole address in it", async () => {
  await using server = await openSmtpServer();
  const send = openMailServer(MailConfig.parse({ SMTP_URL: server.url, SMTP_FROM }));
  await send?.(signInMail("ada@example.test", { address, hours: 24 }));
  const [mail] = server.mails;
  assert.deepEqual([mail?.from, mail?.to], [SMTP_FROM, ["ada@example.test"]]);
  assert.match(mail?.text ?? "", /^Content-Type: text\/plain/im);
  assert.doesNotMatch(mail?.text ?? "", /multipart|text\/html/);
  assert.ok(mail?.text.includes(address));
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
    const message = { to: "ada@example.test", subject: "s", text } as unknown as Message;
    await assert.rejects(send(message), /access rejected/);
  }
  assert.deepEqual(server.mails, []);
});

test("a server that does not take the mail is an error", async () => {
  await using server = await openSmtpServer({ refused: "ada@example.test" });
  const send = openMailServer(MailConfig.parse({ SMTP_URL: server.url, SMTP_FROM }))!;
  await assert.rejects(send({ to: "ada@example.test", subject: "s", text: "t" }));
});

test("without a server there is no mail; a server without a sender, or no SMTP address, is a wrong setting", () => {
  assert.equal(openMailServer(MailConfig.parse({})), undefined);
  assert.throws(() => openMailServer(MailConfig.parse({ SMTP_URL: "smtp://localhost" })), /SMTP_FROM/);
  assert.equal(MailConfig.safeParse({ SMTP_URL: "https://mail.example" }).success, false);
  assert.equal(MailConfig.safeParse({ SMTP_FROM: "a@example.test\r\nX: y" }).success, false);
});
