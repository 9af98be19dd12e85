import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { teamPage, teamsPage } from "../../pages/accounts/admin-team-pages.ts";
import { doneText } from "../../pages/accounts/done.ts";
import { errorsSection } from "../../pages/accounts/errors-section.ts";
import { limitValues } from "../../pages/accounts/limits-form.ts";
import { usageSection } from "../../pages/accounts/usage-section.ts";
import { type AccountContext, sendAccountPage } from "./account-context.ts";
import { readLimits } from "./admin-forms.ts";
import { confirm, doneOf } from "./confirmation.ts";
import { actorOf } from "./guards.ts";
import { PageRefusal } from "./page-refusal.ts";

// Covered by ./admin.test.ts.

/** Adds the teams of operators: all of them, and one page for each with the form of its limits. */
export function addTeams(scope: FastifyInstance, context: AccountContext): void {
  const { facts, accounts } = context;

  scope.get("/teams", async (request, reply) =>
    sendAccountPage(
      context,
      request,
      reply,
      teamsPage({ teams: await accounts.admin.teams(), facts: facts() }),
    ),
  );

  scope.get<TeamRoute>("/teams/:team", async (request, reply) => {
    const team = await findTeam(context, request);
    const values = limitValues(team.limits);
    return sendTeam(context, request, reply, { team, values, done: doneText(doneOf(request)) });
  });

  scope.post<TeamRoute>("/teams/:team", async (request, reply) => {
    const team = await findTeam(context, request);
    const { values, limits, errors } = readLimits(request.body);
    if (errors !== undefined) {
      return sendTeam(context, request, reply.code(400), { team, values, errors });
    }
    await accounts.admin.setLimits(team.team, limits, actorOf(request));
    return confirm(reply, `/admin/teams/${team.team}`, "limits_saved");
  });
}

async function sendTeam(
  context: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  view: Omit<Parameters<typeof teamPage>[0], "sections" | "facts">,
) {
  const { days, errors } = await context.accounts.teamUsage(view.team.team);
  const reader = "operator";
  const sections = [usageSection({ days, reader }), errorsSection({ errors, days, reader })];
  return sendAccountPage(context, request, reply, teamPage({ ...view, sections, facts: context.facts() }));
}

async function findTeam({ accounts }: AccountContext, { params }: FastifyRequest<TeamRoute>) {
  const team = (await accounts.admin.teams()).find(({ team }) => team === params.team);
  if (team === undefined) throw new PageRefusal("not_found");
  return team;
}

type TeamRoute = { Params: { team: string } };
