import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ApprovalForm, entryPage, waitingPage } from "@faceline/web/accounts/admin-waitlist-pages";
import { flashText } from "@faceline/web/accounts/flash";
import { type AccountContext, sendAccountPage } from "./account-context.ts";
import { proposedTeam, readLimits, readMembership } from "./admin-forms.ts";
import { emailId, type IdRoute, newMember, personPath, sendNewAddress } from "./admin-person.ts";
import { confirm, flashOf } from "./confirmation.ts";
import { actorOf } from "./guards.ts";
import { PageRefusal } from "./page-refusal.ts";

/** Adds the waitlist of operators: who waits, and one page for each to approve or decline them. */
export function addWaiting(scope: FastifyInstance, context: AccountContext): void {
  const { admin } = context.accounts;
  const showEntry = async (request: FastifyRequest<IdRoute>, reply: FastifyReply, form?: ApprovalForm) => {
    const { id } = request.params;
    const entry = await findEntry(context, id);
    const shown = form ?? { team: entry.team ?? proposedTeam(entry.text), joins: false, limits: {} };
    return sendAccountPage(
      context,
      request,
      reply,
      entryPage({ id, entry, form: shown, facts: context.facts }),
    );
  };

  scope.get("/", async (request, reply) => {
    const waiting = await admin.waitlist();
    const entries = waiting.slice(0, entriesOfPage).map((entry) => ({ id: emailId(entry.email), entry }));
    return sendAccountPage(
      context,
      request,
      reply,
      waitingPage({ entries, total: waiting.length, flash: flashText(flashOf(request)) }),
    );
  });

  scope.get<IdRoute>("/waitlist/:id", async (request, reply) => {
    // Already approved: by another operator, or before this page was loaded again.
    const member = await findMember(context, request.params.id);
    return member === undefined ? showEntry(request, reply) : reply.redirect(personPath(member.email), 303);
  });
  scope.get<IdRoute>("/waitlist/:id/approve", async (request, reply) =>
    reply.redirect(`/admin/waitlist/${encodeURIComponent(request.params.id)}`, 303),
  );

  scope.post<IdRoute>("/waitlist/:id/approve", async (request, reply) => {
    const member = await findMember(context, request.params.id);
    // A form that is sent twice makes one address.
    if (member !== undefined) return confirm(reply, personPath(member.email), "member_made");
    const { email, team: ownTeam } = await findEntry(context, request.params.id);
    // A member of a team needs no confirmation to stay in it.
    const teams = (await admin.teams()).map(({ team }) => team);
    const otherTeams = teams.filter((team) => team !== ownTeam);
    const { team, teamError, joins } = readMembership(request.body, otherTeams);
    const { values, limits, errors } = readLimits(request.body);
    // Limits hold for a whole team: an approval of one person does not change them for the others.
    const limitsError =
      teams.includes(team) && Object.keys({ ...limits, ...errors }).length > 0
        ? `The team ${team} exists and keeps its limits. Leave them empty here, and change them on its page.`
        : undefined;
    const form = { team, teamError, joins, limits: values, limitErrors: errors, limitsError };
    const isWrong = [teamError, errors, limitsError].some((error) => error !== undefined);
    if (isWrong) return showEntry(request, reply.code(400), form);
    const result = await admin.approve({ email, team, limits, mustWait: true }, actorOf(request));
    // Declined or forgotten while the form was being sent.
    if (result.kind === "gone") throw new PageRefusal("not_found");
    if (result.kind === "in_other_team") {
      const error = `They are in the team ${result.team}. Decline this, or approve them into it.`;
      return showEntry(request, reply.code(409), { ...form, teamError: error });
    }
    const title = `${email} is approved`;
    return sendNewAddress(context, request, reply, { email, team, title, ...newMember });
  });

  scope.post<IdRoute>("/waitlist/:id/decline", async (request, reply) => {
    const { email } = await findEntry(context, request.params.id);
    await admin.decline(email, actorOf(request));
    return confirm(reply, "/admin", "declined");
  });
}

async function findEntry({ accounts }: AccountContext, id: string) {
  const entry = (await accounts.admin.waitlist()).find(({ email }) => emailId(email) === id);
  if (entry === undefined) throw new PageRefusal("not_found");
  return entry;
}

/** Returns the person named by an address of the waitlist, if they are no longer waiting. */
async function findMember({ accounts }: AccountContext, id: string) {
  const waits = (await accounts.admin.waitlist()).some(({ email }) => emailId(email) === id);
  return waits ? undefined : (await accounts.admin.people()).find(({ email }) => emailId(email) === id);
}

const entriesOfPage = 50;
