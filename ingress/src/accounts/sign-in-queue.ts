import { bestEffort } from "@faceline/runtime/best-effort";
import PQueue from "p-queue";

/**
 * Emails for which a sign-in address was requested, and that are looked up once their reply was sent. Beyond
 * `waitingMax` further ones are dropped: people ask again.
 */
export class SignInQueue {
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #mail: (email: string) => Promise<void>;

  constructor(mail: (email: string) => Promise<void>) {
    this.#mail = mail;
  }

  add(email: string): void {
    const work =
      this.#queue.size < waitingMax
        ? this.#queue.add(() => this.#mail(email))
        : Promise.reject(new Error("too many wait"));
    bestEffort("sign_in_mail", work);
  }
}

const waitingMax = 1_000;
