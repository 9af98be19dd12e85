import type { FastifyRequest } from "fastify";
import PQueue from "p-queue";
import type { Person } from "@faceline/accounts/people/person";
import type { Accounts } from "./open-accounts.ts";
import { countTry, requireAvailable } from "./form-limits.ts";
import { PageRefusal } from "./page-refusal.ts";

/**
 * Looks up whom a sign-in link signs in. Only links that sign nobody in count as attempts, and a working one
 * is answered however many attempts came before: many people may share a network address, and nobody guesses
 * a token of 256 bits. Instead, the number of concurrent look-ups of the process is bounded.
 */
export class SignInLookups {
  readonly #accounts: Pick<Accounts, "available" | "countTry" | "signInLinks">;
  readonly #queue = new PQueue({ concurrency: lookupsMax });

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** Null: used, too old, or unknown. Throws a PageRefusal above a limit. */
  find(request: FastifyRequest, token: string): Promise<Person | null> {
    return this.#lookUp(request, token, this.#accounts.signInLinks.find);
  }

  /** The same, and uses the link up. */
  consume(request: FastifyRequest, token: string): Promise<Person | null> {
    return this.#lookUp(request, token, this.#accounts.signInLinks.consume);
  }

  async #lookUp(request: FastifyRequest, token: string, lookUp: LookUp): Promise<Person | null> {
    requireAvailable(this.#accounts);
    // Other links need no look-up.
    const hasShape = /^[\w-]{43}$/.test(token);
    if (hasShape && this.#queue.size >= waitingMax) throw new PageRefusal("too_many_tries", retryAfterMs);
    const person = hasShape ? await this.#queue.add(() => lookUp(token)) : null;
    if (person === null) await countTry(this.#accounts, "sign_in_address", request);
    return person;
  }
}

/** A look-up is one Redis command: more than 16 at a time would gain one process nothing. */
const lookupsMax = 16;
const waitingMax = 1_000;
const retryAfterMs = 1_000;

type LookUp = (token: string) => Promise<Person | null>;
