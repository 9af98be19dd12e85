import { Tenant } from "@faceline/contracts/wire/ids";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { revokeTeamKeyPage, teamKeysSection } from "@faceline/web/accounts/admin-key-pages";
import { teamPage, teamPeopleSection, teamsPage } from "@faceline/web/accounts/admin-team-pages";
import { flashText, keyFlashAddress } from "@faceline/web/accounts/flash";
import { errorsSection } from "@faceline/web/accounts/errors-section";
import { limitValues } from "@faceline/web/accounts/limits-form";
import { usageSection } from "@faceline/web/accounts/usage-section";
import { type AccountContext, sendAccountPage } from "./account-context.ts";
import { readLimits, readSeenLimits } from "./admin-forms.ts";
import { emailId } from "./admin-person.ts";
import { confirm, flashOf, keyFlash } from "./confirmation.ts";
import { actorOf } from "./guards.ts";
import { PageRefusal } from "./page-refusal.ts";

/** Adds the teams of operators: a list, and a page for each with its keys and the form of its limits. */
export function addTeams(scope: FastifyInstance, context: AccountContext): void {
  const { facts, accounts } = context;

  scope.get("/teams", async (request, reply) =>
    sendAccountPage(context, request, reply, teamsPage({ teams: await accounts.admin.teams(), facts })),
  );

  scope.get<TeamRoute>("/teams/:team", async (request, reply) => {
    const team = await findTeam(context, request);
    const values = limitValues(team.limits);
    return sendTeam(context, request, reply, { team, values });
  });

  scope.post<TeamRoute>("/teams/:team", async (request, reply) => {
    const team = await findTeam(context, request);
    const { values, limits, errors } = readLimits(request.body);
    if (errors !== undefined) {
      return sendTeam(context, request, reply.code(400), { team, values, errors });
    }
    const seen = readSeenLimits(request.body);
    const result = await accounts.admin.setLimits(team.team, limits, actorOf(request), seen);
    if (result === "changed_meanwhile") {
      const current = await findTeam(context, request);
      return sendTeam(context, request, reply.code(409), {
        team: current,
        values: limitValues(current.limits),
        isStale: true,
      });
    }
    return confirm(reply, `/admin/teams/${team.team}`, "limits_saved");
  });

  scope.get<KeyRoute>("/teams/:team/keys/:id/revoke", async (request, reply) => {
    const { team } = await findTeam(context, request);
    const key = await findKey(context, { team, id: request.params.id });
    return sendAccountPage(context, request, reply, revokeTeamKeyPage({ team, key }));
  });

  scope.post<KeyRoute>("/teams/:team/keys/:id/revoke", async (request, reply) => {
    const { team } = await findTeam(context, request);
    const { id } = await findKey(context, { team, id: request.params.id });
    await accounts.keys.revoke(team, id, actorOf(request));
    return reply.redirect(keyFlashAddress(id, "key_revoked", `/admin/teams/${team}`), 303);
  });
}

async function sendTeam(
  context: AccountContext,
  request: FastifyRequest<TeamRoute>,
  reply: FastifyReply,
  view: Omit<Parameters<typeof teamPage>[0], "sections" | "facts" | "flash">,
) {
  const { accounts, facts, now } = context;
  const { team } = view.team;
  const [keys, { days, errors }, people] = await Promise.all([
    accounts.keys.list(team),
    accounts.teamUsage(team),
    accounts.admin.people(),
  ]);
  const members = people
    .filter((person) => person.team === team)
    .map(({ email, role }) => ({ id: emailId(email), email, role }));
  const reader = "operator";
  const sections = [
    teamPeopleSection(members),
    teamKeysSection({ team, keys, now: now() }),
    usageSection({ days, reader }),
    errorsSection({ errors, days, keys, reader }),
  ];
  const flash = flashOf(request) === "limits_saved" ? flashText("limits_saved") : keyFlash(request, keys);
  const page = teamPage({ ...view, sections, facts, flash });
  return sendAccountPage(context, request, reply, page);
}

async function findTeam({ accounts }: AccountContext, { params }: FastifyRequest<TeamRoute>) {
  const team = Tenant.safeParse(params.team).success ? await accounts.admin.team(params.team) : null;
  if (team === null) throw new PageRefusal("not_found");
  return team;
}

/** Returns a key that may be revoked. */
async function findKey({ accounts }: AccountContext, { team, id }: KeyRoute["Params"]) {
  const key = (await accounts.keys.list(team)).find((each) => each.id === id);
  if (key === undefined) throw new PageRefusal("not_found");
  if (key.disabled) throw new PageRefusal("revoked_key");
  return key;
}

type TeamRoute = { Params: { team: string } };
type KeyRoute = { Params: { team: string; id: string } };
