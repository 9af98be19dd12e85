import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns a new random password: 256 bits in the letters of Base64 URL, which need no quotes anywhere. */
export const newPassword = (): string => randomBytes(32).toString("base64url");

/** Writes a file that only this user may read, also where an earlier start left one that others may read. */
export function writePrivateFile(file: string, text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
}

/**
 * Makes a password for each user of a server, and writes it into a file of its own: `SECRETS/SERVER-USER`.
 * They are new at every start, so a password of an earlier one opens nothing.
 */
export function makePasswords<User extends string>(
  secrets: string,
  server: Server,
  users: readonly User[],
): Record<User, string> {
  const passwords = users.map((user) => [user, newPassword()] as const);
  for (const [user, password] of passwords) {
    writePrivateFile(passwordFile(secrets, server, user), `${password}\n`);
  }
  return Object.fromEntries(passwords) as Record<User, string>;
}

export const passwordFile = (secrets: string, server: Server, user: string): string =>
  join(secrets, `${server}-${user}`);

export type Server = "kafka" | "redis-volatile" | "redis-durable";
