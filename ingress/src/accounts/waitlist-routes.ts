import { WaitlistForm } from "@faceline/accounts/people/waitlist";
import type { FastifyInstance } from "fastify";
import * as z from "zod";
import { type WaitlistField, waitlistJoinedPage, waitlistPage } from "@faceline/web/accounts/waitlist-page";
import type { Words } from "@faceline/web/words/language";
import { visitorNetwork } from "../tester/visitors.ts";
import { type AccountContext, sendAccountPage, wordsFor } from "./account-context.ts";
import { countTry, requireAvailable } from "./form-limits.ts";
import { PageRefusal } from "./page-refusal.ts";

/** Adds /waitlist. The response is the same for an email that is already waiting and for one of a person. */
export function addWaitlist(scope: FastifyInstance, context: AccountContext): void {
  const { accounts } = context;
  scope.get("/waitlist", async (request, reply) => {
    requireAvailable(accounts);
    return sendAccountPage(context, request, reply, waitlistPage(wordsFor(request)));
  });
  scope.post("/waitlist", async (request, reply) => {
    requireAvailable(accounts);
    const words = wordsFor(request);
    const form = readForm(request.body, words.waitlist);
    if (form.kind === "wrong") {
      reply.code(400);
      return sendAccountPage(context, request, reply, waitlistPage(words, form));
    }
    // A form with an error stores nothing, so it is not counted.
    await countTry(accounts, "form", request);
    const network = visitorNetwork(request);
    await countTry(accounts, "network_form", network);
    if ((await accounts.joinWaitlist(form.entry, network)) === "full") throw new PageRefusal("waitlist_full");
    return reply.redirect("/waitlist/joined", 303);
  });
  scope.get("/waitlist/joined", async (request, reply) =>
    sendAccountPage(context, request, reply, waitlistJoinedPage(wordsFor(request))),
  );
}

/** One line of the stored text is the team, because an operator needs both to decide. */
function readForm(body: unknown, text: Words["waitlist"]): ReadForm {
  const values = Form.safeParse(body);
  if (!values.success) throw new PageRefusal("unreadable_form");
  const { email, team, purpose } = values.data;
  const parsedTeam = Team.safeParse(team);
  const entry = WaitlistForm.safeParse({ email, text: `Team: ${team.trim()}\n${purpose}` });
  if (entry.success && parsedTeam.success) return { kind: "right", entry: entry.data };
  const wrong = new Set(entry.success ? [] : entry.error.issues.map(({ path }) => path[0]));
  const errors = {
    email: wrong.has("email") ? text.wrongEmail : undefined,
    team: parsedTeam.success ? undefined : text.wrongTeam,
    purpose: wrong.has("text") ? text.wrongPurpose : undefined,
  };
  return { kind: "wrong", values: values.data, errors };
}

const Form = z.object({ email: z.string(), team: z.string().default(""), purpose: z.string().default("") });
const Team = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^\p{Cc}]+$/u);

type ReadForm =
  | { kind: "right"; entry: WaitlistForm }
  | {
      kind: "wrong";
      values: Record<WaitlistField, string>;
      errors: Partial<Record<WaitlistField, string | undefined>>;
    };
type WaitlistForm = z.infer<typeof WaitlistForm>;
