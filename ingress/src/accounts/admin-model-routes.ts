import { modelActions } from "@faceline/accounts/models/change";
import { modelRows } from "@faceline/accounts/models/model-rows";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { modelsPage } from "@faceline/web/accounts/admin-models-page";
import { type AccountContext, sendAccountPage } from "./account-context.ts";
import { actorOf } from "./guards.ts";
import { PageRefusal } from "./page-refusal.ts";

/** Adds the page on which operators enable and disable models and detectors, and set the defaults. */
export function addModels(scope: FastifyInstance, context: AccountContext): void {
  const { models } = context.accounts;

  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { changed, refusal }: { changed?: string | undefined; refusal?: string | undefined } = {},
  ) => {
    const { receivers, replies } = await models.list();
    const rows = modelRows(replies);
    // In the words of the list: the address that is shown after a change may be old, or made up.
    const row = rows.find(({ name }) => name === changed);
    const notice = row && `The ${row.noun} ${row.name} is ${stateText(row.states)} now.`;
    const view = { rows, ingresses: replies.length, receivers, notice, refusal };
    return sendAccountPage(context, request, reply, modelsPage(view));
  };

  scope.get<{ Querystring: { changed?: string } }>("/models", (request, reply) =>
    show(request, reply, { changed: request.query.changed }),
  );

  scope.post("/models", async (request, reply) => {
    const form = ChangeForm.safeParse(request.body);
    if (!form.success) throw new PageRefusal("unreadable_form");
    const result = await models.change(form.data, actorOf(request));
    if (result.kind === "refused") return show(request, reply.code(409), { refusal: result.reason });
    return reply.redirect(`/admin/models?changed=${encodeURIComponent(form.data.name)}`, 303);
  });
}

const stateText = (states: string[]): string =>
  states.map((state) => (state === "default" ? "the default" : state)).join(" and ");

const ChangeForm = z.object({ action: z.enum(modelActions), name: z.string().min(1).max(64) });
