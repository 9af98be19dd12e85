import { signInLinkHours } from "@faceline/accounts/people/sign-in-link";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { newestOf } from "@faceline/web/accounts/admin-link-pages";
import { type PersonForm, peoplePage, personPage } from "@faceline/web/accounts/admin-people-pages";
import { flashText } from "@faceline/web/accounts/flash";
import { type AccountContext, sendAccountPage } from "./account-context.ts";
import { readMembership } from "./admin-forms.ts";
import { emailId, type IdRoute, newMember, personPath, sendNewAddress } from "./admin-person.ts";
import { confirm, flashOf } from "./confirmation.ts";
import { actorOf, signedIn } from "./guards.ts";
import { PageRefusal } from "./page-refusal.ts";

/** Adds the people of operators: all of them, and one page for each with what can be done for them. */
export function addPeople(scope: FastifyInstance, context: AccountContext): void {
  const { admin } = context.accounts;
  const showPeople = async (request: FastifyRequest, reply: FastifyReply, form: PersonForm = {}) => {
    const people = (await admin.people()).map((person) => ({ id: emailId(person.email), person }));
    return sendAccountPage(context, request, reply, peoplePage({ people, form }));
  };

  scope.get("/people", (request, reply) => showPeople(request, reply));

  scope.post("/people", async (request, reply) => {
    const teams = (await admin.teams()).map(({ team }) => team);
    const form = readMembership(request.body, teams);
    const { email, emailError, team, teamError } = form;
    if (emailError !== undefined || teamError !== undefined)
      return showPeople(request, reply.code(400), form);
    const known = await context.accounts.findPerson(email);
    if (known?.team === team) return confirm(reply, personPath(email), "member_known");
    const result = await admin.approve({ email, team, limits: {} }, actorOf(request));
    if (result.kind === "in_other_team") {
      const emailError = `They are in the team ${result.team} already.`;
      return showPeople(request, reply.code(409), { ...form, emailError });
    }
    const title = `${email} is added`;
    return sendNewAddress(context, request, reply, { email, team, title, ...newMember });
  });

  scope.get<IdRoute>("/people/:id", async (request, reply) => {
    const person = await findListed(context, request);
    const [sessions, openLinks] = await Promise.all([
      admin.sessions(person.email),
      admin.openLinks(person.email),
    ]);
    const hours = signInLinkHours;
    const flash = flashText(flashOf(request), person.email);
    const isReader = person.email === signedIn(request).email;
    const view = { id: request.params.id, person, sessions, isReader, openLinks, hours, flash };
    const page = personPage(view);
    return sendAccountPage(context, request, reply, page);
  });

  scope.post<IdRoute>("/people/:id/address", async (request, reply) => {
    const { email, team } = await findListed(context, request);
    const form = AddressForm.safeParse(request.body);
    if (!form.success) throw new PageRefusal("unreadable_form");
    // A form that is sent twice makes one link, and so do two operators at once.
    const isStale = form.data.seen !== newestOf(await admin.openLinks(email));
    if (isStale) return confirm(reply, personPath(email), "addresses_changed");
    const title = `A new sign-in link for ${email}`;
    const flashes = { mailed: "address_mailed", shown: "address_made" } as const;
    return sendNewAddress(context, request, reply, { email, team, title, ...flashes });
  });
  scope.get<IdRoute>("/people/:id/address", async (request, reply) =>
    reply.redirect(`/admin/people/${encodeURIComponent(request.params.id)}`, 303),
  );

  scope.post<IdRoute>("/people/:id/addresses/cancel", async (request, reply) => {
    const { email } = await findListed(context, request);
    await admin.cancelLinks(email, actorOf(request));
    return confirm(reply, personPath(email), "addresses_cancelled");
  });

  scope.post<IdRoute>("/people/:id/sessions", async (request, reply) => {
    const { email } = await findListed(context, request);
    await admin.endSessions(email, actorOf(request));
    return confirm(reply, personPath(email), "sessions_ended");
  });

  scope.post<IdRoute>("/people/:id/operator", async (request, reply) => {
    const { email } = await findListed(context, request);
    if (!(await admin.makeOperator(email, actorOf(request)))) throw new PageRefusal("no_person");
    return confirm(reply, personPath(email), "operator_made");
  });
}

async function findListed({ accounts }: AccountContext, { params }: FastifyRequest<IdRoute>) {
  const person = (await accounts.admin.people()).find(({ email }) => emailId(email) === params.id);
  if (person === undefined) throw new PageRefusal("no_person");
  return person;
}

/** `seen`: which addresses the page of the form showed. */
const AddressForm = z.object({ seen: z.string().max(20) });
