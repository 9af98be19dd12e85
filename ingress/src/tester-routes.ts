import { visitorsTenant } from "@faceline/contracts/wire/ids";
import type { FastifyInstance, FastifyReply } from "fastify";
import { addBodyDeadline } from "./body/body-deadline.ts";
import { type BodyParts, limitBodyMemory } from "./body/memory-budget.ts";
import { addJsonParser } from "./body/parsers.ts";
import { ApiError } from "./call/api-error.ts";
import { onClose } from "./call/context.ts";
import type { Ports } from "./call/ports.ts";
import { addComputeHooks } from "./compute-hooks.ts";
import { addComputeRoutes } from "./compute-routes.ts";
import { testerIsOn } from "./config.ts";
import type { RouteContext } from "./endpoints/endpoint.ts";
import { InputReader } from "./images/inputs.ts";
import { SampleAnswerCache } from "./tester/sample-answer.ts";
import { testerSettings } from "./tester/tester-settings.ts";
import { identifyVisitors, visitorAddress } from "./tester/visitors.ts";

/**
 * Adds the routes of the public tester, the home page: the compute endpoints below /tester, without a key
 * and within limits of their own, and the answer for the sample images. They are not part of the API: only
 * pages of this service may call them.
 */
export function addTesterRoutes(
  app: FastifyInstance,
  apiContext: RouteContext,
  bodies: BodyParts,
  bodyBytesPerSecond?: number,
): void {
  if (!testerIsOn(apiContext.settings)) {
    app.all("/tester/*", { onRequest: refuseBecauseOff }, refuseBecauseOff);
    return;
  }
  const settings = testerSettings(apiContext.settings);
  const context = { ...apiContext, settings, inputs: new InputReader(settings) };
  const { ports, models } = context;

  app.register(async (tester) => {
    addComputeHooks(tester, {
      ports,
      settings,
      identify: identifyVisitors(ports, settings, bodyBytesPerSecond),
      unknownCaller: visitorsTenant,
    });
    addBodyDeadline(tester, ({ callRecord }) => callRecord!.deadlineMs);
    limitBodyMemory(tester, { ...settings, bytesPerSecondMin: bodyBytesPerSecondMin }, bodies);
    addJsonParser(tester, { ...settings, vectorLengthMax: models.vectorLengthMax }, bodies.pool);
    holdSharedSlot(tester, ports);
    addComputeRoutes(tester, context, "/tester");
  });
  const sampleAnswer = new SampleAnswerCache(context);
  app.get("/tester/sample-answer", () => sampleAnswer.read());
}

/** Visitors share few slots and little memory. Two images of the usual 200 KB then take 12 s at most. */
const bodyBytesPerSecondMin = 32 * 1024;

function refuseBecauseOff(): never {
  throw new ApiError("not_found", "The operator of this service has turned the tester off.");
}

/**
 * Takes the slot that all visitors share once the body has arrived, and frees it when the response is ready.
 * If it were held from the headers on, or until the response was read, four addresses that send or read
 * slowly would hold the slots of everybody.
 */
function holdSharedSlot(tester: FastifyInstance, ports: Pick<Ports, "acquireSharedVisitorSlot">): void {
  const held = new WeakMap<FastifyReply, () => void>();
  const release = (reply: FastifyReply) => {
    held.get(reply)?.();
    held.delete(reply);
  };
  tester.addHook("preValidation", async (request, reply) => {
    const slot = await ports.acquireSharedVisitorSlot(visitorAddress(request));
    held.set(reply, slot.release);
    onClose(reply, () => release(reply));
    if (slot.error !== undefined) throw slot.error;
  });
  tester.addHook("onSend", async (_request, reply) => release(reply));
}
