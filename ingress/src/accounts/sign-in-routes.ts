import { signInLinkHours } from "@faceline/accounts/people/sign-in-link";
import { Email } from "@faceline/accounts/people/email";
import { bestEffort } from "@faceline/runtime/best-effort";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import PQueue from "p-queue";
import * as z from "zod";
import {
  deadLinkPage,
  openedLinkPage,
  signInPage,
  signInSentPage,
} from "@faceline/web/accounts/sign-in-page";
import { offersWaitlist } from "@faceline/web/facts";
import type { Words } from "@faceline/web/words/language";
import { onClose } from "../call/context.ts";
import { type AccountContext, sendAccountPage, wordsFor } from "./account-context.ts";
import type { Person } from "@faceline/accounts/people/person";
import { countTry, requireAvailable } from "./form-limits.ts";
import { PageRefusal } from "./page-refusal.ts";
import { beginSession, endSession, rejectLostCookie } from "./session.ts";
import { SignInLookups } from "./sign-in-lookups.ts";

/** Adds /sign-in, the sign-in links below it, and /sign-out. */
export function addSignIn(scope: FastifyInstance, context: AccountContext): void {
  const { accounts } = context;
  const { mailed } = accounts.signInLinks;
  const shown = { mailed, offersWaitlist: offersWaitlist(context.facts) };
  const queue = new SignInQueue(({ email, language }) => accounts.signInLinks.mail(email, language));
  const lookups = new SignInLookups(accounts);

  scope.get("/sign-in", async (request, reply) => {
    if (request.person !== null) return reply.redirect(homeOf(request.person), 303);
    requireAvailable(accounts);
    return sendAccountPage(
      context,
      request,
      reply,
      signInPage(wordsFor(request), { ...shown, isSignedOut: "signed-out" in Object(request.query) }),
    );
  });

  scope.post("/sign-in", async (request, reply) => {
    requireAvailable(accounts);
    if (!mailed) throw new PageRefusal("not_found");
    const { email } = parsedForm(request.body);
    const parsed = Email.safeParse(email);
    if (!parsed.success) {
      reply.code(400);
      const words = wordsFor(request);
      const error = words.waitlist.wrongEmail;
      return sendAccountPage(context, request, reply, signInPage(words, { ...shown, email, error }));
    }
    await countTry(accounts, "form", request);
    await countTry(accounts, "mail", parsed.data);
    // The response goes first, so that its time does not show whether the person exists.
    onClose(reply, () => queue.add({ email: parsed.data, language: wordsFor(request).language }));
    return reply.redirect("/sign-in/sent", 303);
  });

  scope.get("/sign-in/sent", async (request, reply) => {
    const page = signInSentPage(wordsFor(request), { hours: signInLinkHours });
    return sendAccountPage(context, request, reply, page);
  });

  // A wildcard, because the router bounds the length of parameters.
  scope.get<Rest>("/sign-in/*", async (request, reply) => {
    const token = request.params["*"];
    const person = await lookups.find(request, token);
    if (person === null) return sendDeadLink(context, request, reply);
    const page = openedLinkPage(wordsFor(request), {
      token,
      ...person,
      signedInAs: request.person?.email,
    });
    return sendAccountPage(context, request, reply, page);
  });

  scope.post<Rest>("/sign-in/*", async (request, reply) => {
    rejectLostCookie(request, context);
    const person = await lookups.consume(request, request.params["*"]);
    if (person === null) return sendDeadLink(context, request, reply);
    await beginSession(request, person.email, context.now());
    await accounts.recordAudit({ by: person.email, requestId: request.id }, "signed_in");
    return reply.redirect(homeOf(person), 303);
  });

  scope.post("/sign-out", async (request, reply) => {
    const { person } = request;
    await endSession(request, reply, context);
    if (person !== null)
      await accounts.recordAudit({ by: person.email, requestId: request.id }, "signed_out");
    return reply.redirect("/sign-in?signed-out", 303);
  });
  scope.get("/sign-out", async ({ person }, reply) =>
    reply.redirect(person === null ? "/dashboard" : homeOf(person), 303),
  );
}

/** The page that somebody opens when they sign in. The dashboard of an operator's own team is rarely it. */
const homeOf = ({ role }: Person): "/admin" | "/dashboard" => (role === "operator" ? "/admin" : "/dashboard");

function sendDeadLink(context: AccountContext, request: FastifyRequest, reply: FastifyReply) {
  const { person } = request;
  const signedIn = person === null ? undefined : { email: person.email, home: homeOf(person) };
  const { mailed } = context.accounts.signInLinks;
  const page = deadLinkPage(wordsFor(request), { mailed, signedIn });
  return sendAccountPage(context, request, reply.code(404), page);
}

/**
 * Emails for which a sign-in link was requested, and that are looked up once their response was sent. Beyond
 * `waitingMax`, further ones are dropped: people will ask again.
 */
class SignInQueue {
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #mail: (request: MailRequest) => Promise<void>;

  constructor(mail: (request: MailRequest) => Promise<void>) {
    this.#mail = mail;
  }

  add(request: MailRequest): void {
    const work =
      this.#queue.size < waitingMax
        ? this.#queue.add(() => this.#mail(request))
        : Promise.reject(new Error("too many wait"));
    bestEffort("sign_in_mail", work);
  }
}

type MailRequest = { email: string; language: Words["language"] };

const waitingMax = 1_000;

function parsedForm(body: unknown): z.infer<typeof Form> {
  const form = Form.safeParse(body);
  if (!form.success) throw new PageRefusal("unreadable_form");
  return form.data;
}

const Form = z.object({ email: z.string() });

type Rest = { Params: { "*": string } };
