import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { dashboardPage } from "@faceline/web/accounts/dashboard-page";
import { keyFlashAddress } from "@faceline/web/accounts/flash";
import { errorsSection } from "@faceline/web/accounts/errors-section";
import {
  newKeyPage,
  overlaps,
  renamePage,
  revokePage,
  rotatedKeyPage,
  rotatePage,
  tooManyKeysPage,
} from "@faceline/web/accounts/key-pages";
import type { KeyView } from "@faceline/web/accounts/key-view";
import { usageSection } from "@faceline/web/accounts/usage-section";
import { imageName } from "@faceline/web/samples";
import { type AccountContext, sendAccountPage, siteOrigin } from "./account-context.ts";
import { countTry } from "./form-limits.ts";
import { keyFlash } from "./confirmation.ts";
import { actorOf, signedIn } from "./guards.ts";
import { PageRefusal } from "./page-refusal.ts";

/** Adds the dashboard of a team to a scope with the prefix /dashboard, which `requireMember` guards. */
export function addDashboard(scope: FastifyInstance, context: AccountContext): void {
  const { accounts, facts, now } = context;
  const send = (request: FastifyRequest, reply: FastifyReply, page: Parameters<typeof sendAccountPage>[3]) =>
    sendAccountPage(context, request, reply, page);

  const showDashboard = async (request: FastifyRequest, reply: FastifyReply, form: KeyForm = {}) => {
    const { team, email } = signedIn(request);
    const [keys, limits, { days, errors }] = await Promise.all([
      accounts.keys.list(team),
      accounts.teamLimits(team),
      accounts.teamUsage(team),
    ]);
    const reader = "member";
    const sections = [usageSection({ days, reader }), errorsSection({ errors, days, keys, reader })];
    const view = { team, email, keys: keys.toReversed(), keysMax: accounts.keys.max, limits, facts };
    const flash = keyFlash(request, keys);
    return send(request, reply, dashboardPage({ ...view, sections, now: now(), flash, ...form }));
  };
  const showNewKey = (request: FastifyRequest, reply: FastifyReply, key: ShownKey) =>
    sendNewKey(context, request, reply, key);

  scope.get("/", (request, reply) => showDashboard(request, reply));

  scope.post("/keys", async (request, reply) => {
    const form = readName(request.body);
    if (form.error !== undefined) return showDashboard(request, reply.code(400), form);
    const { team } = signedIn(request);
    await countTry(accounts, "key", team);
    const created = await accounts.keys.create(team, form.name, actorOf(request));
    return showNewKey(request, reply, { created, name: form.name });
  });

  for (const [verb, page] of Object.entries({ rename: renamePage, rotate: rotatePage, revoke: revokePage })) {
    scope.get<KeyRoute>(`/keys/:id/${verb}`, async (request, reply) =>
      send(request, reply, page({ key: await findKey(context, request) })),
    );
  }

  scope.post<KeyRoute>("/keys/:id/rename", async (request, reply) => {
    const key = await findKey(context, request);
    const form = readName(request.body);
    if (form.error !== undefined) return send(request, reply.code(400), renamePage({ key, ...form }));
    const { team } = signedIn(request);
    await countTry(accounts, "key", team);
    await accounts.keys.rename(team, key.id, form.name, actorOf(request));
    return reply.redirect(keyFlashAddress(key.id, "key_renamed"), 303);
  });

  scope.post<KeyRoute>("/keys/:id/rotate", async (request, reply) => {
    const key = await findKey(context, request);
    const form = Overlap.safeParse(request.body);
    if (!form.success) throw new PageRefusal("unreadable_form");
    const { team } = signedIn(request);
    await countTry(accounts, "key", team);
    const created = await accounts.keys.rotate(team, key.id, form.data.overlap, actorOf(request));
    if (created.kind === "rotated")
      return send(request, reply.code(409), rotatedKeyPage({ key, now: now() }));
    const overlap = overlaps.find(({ hours }) => hours === form.data.overlap)!.text;
    return showNewKey(request, reply, { created, name: key.name, overlap });
  });

  scope.post<KeyRoute>("/keys/:id/revoke", async (request, reply) => {
    const key = await findKey(context, request);
    await accounts.keys.revoke(signedIn(request).team, key.id, actorOf(request));
    return reply.redirect(keyFlashAddress(key.id, "key_revoked"), 303);
  });
}

/** Returns the key of the team that the address names. For one of another team there is no page. */
async function findKey({ accounts }: AccountContext, request: FastifyRequest<KeyRoute>): Promise<KeyView> {
  const keys = await accounts.keys.list(signedIn(request).team);
  const key = keys.find(({ id }) => id === request.params.id);
  if (key === undefined) throw new PageRefusal("not_found");
  if (key.disabled) throw new PageRefusal("revoked_key");
  return key;
}

async function sendNewKey(
  context: AccountContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { created, ...shown }: ShownKey,
) {
  const { accounts, pages } = context;
  if (created.kind === "none") throw new PageRefusal("not_found");
  if (created.kind === "too_many") {
    return sendAccountPage(
      context,
      request,
      reply.code(409),
      tooManyKeysPage({ keysMax: accounts.keys.max }),
    );
  }
  const assets = await pages();
  const samples: [string, string] = [assets.address(imageName("ada-1")), assets.address(imageName("ada-2"))];
  const origin = siteOrigin(context, request);
  const page = newKeyPage({ ...shown, id: created.id, key: created.key, origin, samples });
  return sendAccountPage(context, request, reply, page);
}

function readName(body: unknown): { name: string; error?: string } {
  const sent = Form.safeParse(body);
  if (!sent.success) throw new PageRefusal("unreadable_form");
  const name = KeyName.safeParse(sent.data.name);
  if (name.success) return { name: name.data };
  return { name: sent.data.name, error: "Enter a name of 1 to 64 characters." };
}

const Form = z.object({ name: z.string() });
/** Commands print it too: no control characters, and no marks that change the direction of text. */
const KeyName = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^\p{Cc}\p{Cf}]+$/u);
const Overlap = z.object({
  overlap: z.coerce.number().pipe(z.literal(overlaps.map(({ hours }) => hours))),
});

type ShownKey = {
  created: Awaited<ReturnType<AccountContext["accounts"]["keys"]["create"]>>;
  name: string;
  overlap?: string;
};
type KeyForm = { name?: string; error?: string };
type KeyRoute = { Params: { id: string } };
