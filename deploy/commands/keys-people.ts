import { commandActor } from "@faceline/accounts/audit/audit-log";
import { MailConfig } from "@faceline/accounts/mail/config";
import { openMailServer } from "@faceline/accounts/mail/mail-server";
import { signInMessage } from "@faceline/accounts/mail/sign-in-mail";
import { rewriteAppendOnlyFile } from "@faceline/accounts/people/append-only-file";
import { declineAll, issueForPerson, makeMember, makeOperator } from "@faceline/accounts/people/approval";
import { forget } from "@faceline/accounts/people/forget";
import { signInLink, signInLinkHours } from "@faceline/accounts/people/sign-in-link";
import { readConfig } from "@faceline/runtime/config";
import type { RedisConnection } from "@faceline/runtime/redis";
import type { PeopleCommand } from "./keys-call.ts";
import { readServiceAddress } from "./service-address.ts";

/** Runs a command about people and returns what to print. Throws a sentence when it cannot be done. */
export async function runPeopleCommand(redis: RedisConnection, call: PeopleCommand): Promise<string> {
  switch (call.verb) {
    case "operator": {
      const made = await makeOperator(redis, call, commandActor);
      if (made === null) throw new Error(`${call.email} was forgotten meanwhile. Run the command again.`);
      const { person, wasOperator } = made;
      const operator = wasOperator ? "was already an operator" : "is now an operator";
      const text = `${call.email} ${operator}, and a member of ${person.team}.`;
      return `${text}\n\n${await linkText(redis, call.email)}`;
    }
    case "member":
      return memberText(redis, call.email);
    case "decline": {
      const declined = await declineAll(redis, call.which, commandActor);
      return `${declined} ${declined === 1 ? "entry was" : "entries were"} removed from the waitlist.`;
    }
    case "forget":
      return forgetText(redis, call.email);
  }
}

async function memberText(redis: RedisConnection, email: string): Promise<string> {
  switch (await makeMember(redis, email, commandActor)) {
    case "made":
      return `${email} is a member from their next request, and no longer an operator. They stay signed in.`;
    case "was_member":
      return `${email} is already a member.`;
    case "last_operator":
      throw new Error(`${email} is the only operator: make somebody else one with \`operator\` first.`);
    case "unknown":
      throw new Error(`There is no account for ${email}.`);
  }
}

/** Makes a sign-in link, mails it where that is configured, and returns what to print. */
async function linkText(redis: RedisConnection, email: string): Promise<string> {
  const config = readConfig(MailConfig, process.env);
  const service = readServiceAddress(process.env);
  const assumed = service.known
    ? ""
    : `\nIt assumes a service at ${service.address}: set PORT or PUBLIC_URL if it runs elsewhere.`;
  const hours = signInLinkHours;
  const token = await issueForPerson(redis, { email, hours }, commandActor);
  if (token === null) throw new Error(`There is no account for ${email}.`);
  const address = signInLink(service.address, token);
  const rest = `It works once, within ${hours} hours. Earlier links no longer work.${assumed}`;
  const printed = `${address}\n\nThis is their new sign-in link. ${rest}`;
  const send = openMailServer(config);
  if (send === undefined) return printed;
  const message = signInMessage(email, { address, hours });
  try {
    await send(message);
  } catch (error) {
    return `${(error as Error).message} Send them this link over a private channel:\n\n${printed}`;
  }
  return `A new sign-in link was mailed to ${email}. ${rest}`;
}

async function forgetText(redis: RedisConnection, email: string): Promise<string> {
  const { found, team } = await forget(redis, email, commandActor);
  const file = await rewriteAppendOnlyFile(redis);
  // The file is rewritten even so, because an earlier call may have failed before that.
  const lines = [found ? `${email} is forgotten.` : "Nothing is stored about this email."];
  if (team !== null) lines.push(`The API keys of ${team} still work: \`list --team ${team}\` shows them.`);
  if (file === "rewritten") lines.push("The server's append-only file was rewritten without them.");
  if (file === "none") lines.push("The server has no append-only file. Its backups may still contain them.");
  if (file === "refused") {
    lines.push(
      "The server's append-only file still contains them: run BGREWRITEAOF as a user with that right.",
    );
  }
  const text = lines.join("\n");
  if (!found) throw new Error(text);
  return text;
}
