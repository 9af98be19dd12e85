import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type PersonForm, peoplePage, personPage } from "../../pages/accounts/admin-people-pages.ts";
import { type AccountContext, sendAccountPage } from "./account-context.ts";
import { readMembership } from "./admin-forms.ts";
import { emailId, type IdRoute, sendNewAddress } from "./admin-person.ts";
import { actorOf } from "./guards.ts";
import { PageRefusal } from "./page-refusal.ts";

// Covered by ./admin.test.ts.

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
    const result = await admin.approve({ email, team, limits: {} }, actorOf(request));
    if (result.kind === "in_other_team") {
      const emailError = `They are in the team ${result.team} already.`;
      return showPeople(request, reply.code(409), { ...form, emailError });
    }
    return sendNewAddress(context, request, reply, { email, team, done: `${email} is added` });
  });

  scope.get<IdRoute>("/people/:id", async (request, reply) => {
    const person = await findListed(context, request);
    const sessions = await admin.sessions(person.email);
    const page = personPage({ id: request.params.id, person, sessions });
    return sendAccountPage(context, request, reply, page);
  });

  scope.post<IdRoute>("/people/:id/address", async (request, reply) => {
    const { email, team } = await findListed(context, request);
    return sendNewAddress(context, request, reply, { email, team, done: `A new address for ${email}` });
  });

  scope.post<IdRoute>("/people/:id/sessions", async (request, reply) => {
    const { email } = await findListed(context, request);
    await admin.endSessions(email, actorOf(request));
    return reply.redirect(`/admin/people/${request.params.id}`, 303);
  });

  scope.post<IdRoute>("/people/:id/operator", async (request, reply) => {
    const { email } = await findListed(context, request);
    await admin.makeOperator(email, actorOf(request));
    return reply.redirect(`/admin/people/${request.params.id}`, 303);
  });
}

async function findListed({ accounts }: AccountContext, { params }: FastifyRequest<IdRoute>) {
  const person = (await accounts.admin.people()).find(({ email }) => emailId(email) === params.id);
  if (person === undefined) throw new PageRefusal("not_found");
  return person;
}
