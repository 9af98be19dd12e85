import type { Clock } from "@faceline/runtime/clock";
import { randomBytes } from "@faceline/runtime/random";
import { isSampled, traceparentOf } from "@faceline/runtime/tracing/trace-context";
import type { Answer } from "@faceline/contracts/wire/answer";
import { type CallId, taskId } from "@faceline/contracts/wire/ids";
import { deadlinePassed } from "../call/api-error.ts";
import type { DispatchedCall } from "../call/ports.ts";
import type { CallRecord } from "../call/record.ts";
import { dependencyUnavailable, type OwnState } from "../call/refusal-cause.ts";
import type { PoolServer } from "../pools/pool-server.ts";
import type { PoolServers } from "../pools/pool-servers.ts";
import type { SendFailed, TaskOutbox } from "../task-outbox.ts";
import { admitToPool } from "./admission.ts";
import { callFailure } from "./call-failure.ts";

/**
 * Sends the images of a call to the workers of one pool and returns one answer per image, in order:
 *
 *     choose a pool ──► subscribe to answers ──► publish images ──► send tasks ──► await answers
 *
 * A task that was shed, has expired or failed ends the call at once. However it ends, the images are removed
 * and the subscription ends; tasks that are not answered by then are cancelled. Throws an ApiError: see
 * `Ports.dispatch`.
 */
export async function dispatchCall(parts: DispatchParts, call: DispatchedCall): Promise<Answer[]> {
  const { clock, ingress, pools, random } = parts;
  const { images, memory, signal, record, ...fields } = call;
  const { requestId, lane, arrivedAt, deadlineAt } = fields;
  record.images = images.length;
  const present = { now: clock.now(), random, own: parts.ownState() };
  const pool = admitToPool(pools.fresh(), new Set([lane]), call, present);
  const server = pools.serverOf(pool);
  server.states.countSent(pool, lane, images.length);

  record.end("admission");
  record.pool = pool;
  record.begin("publish");
  const callId = `${requestId}/${randomBytes(12).toString("base64url")}` as CallId;
  const tasks = images.map((_, index) => taskId(callId, index));
  // Subscribed before the tasks are sent: a fast worker may answer at once.
  using subscription = server.answers.subscribe(tasks);
  record.begin("images");
  using _published = await server.images.publish(
    fields.tenant,
    { images: tasks.map((task, index) => ({ task, bytes: images[index]! })), memory },
    deadlineAt - clock.now(),
  );
  memory.free();
  record.end("images");
  using end = endOfCall(signal, deadlineAt - clock.now());
  // The broker may have tasks that it has not acknowledged; workers ignore it for tasks that have ended.
  using cancelUnlessAnswered = new DisposableStack();
  cancelUnlessAnswered.defer(() =>
    server.cancels.send(pool, { call: callId }, tasks, deadlineAt - clock.now()),
  );

  const aheadMs = clockAheadMs(server, clock);
  const instants = {
    arrivedAt: arrivedAt + aheadMs,
    deadlineAt: deadlineAt + aheadMs,
    sentAt: record.end("publish") + aheadMs,
  };
  const { context } = record.trace;
  const traceparent = traceparentOf(isSampled(context) ? record.sendContext : context);
  const message = { ...fields, ...instants, traceparent, call: callId, ingress, tasks };
  record.begin("send");
  try {
    await Promise.race([parts.tasks.send(pool, message), end.reached]);
  } catch (error) {
    const { message, isStarved } = error as SendFailed;
    record.cause = `tasks could not be sent: ${message}`;
    throw dependencyUnavailable("kafka", isStarved);
  }
  record.end("send");

  const received = subscription.answers.map(async (each) => onClock(clock, server, await each));
  const answers = await Promise.race([allUnlessFailed(received, record), end.reached]);
  if (answers === undefined) throw deadlinePassed(record.isStarved);
  cancelUnlessAnswered.move();
  return answers;
}

/** How far the clock of a pool's own server is ahead of this one; exactly 0 if both are the same. */
const clockAheadMs = (server: Pick<PoolServer, "clock">, clock: Clock): number =>
  server.clock === clock ? 0 : server.clock.now() - clock.now();

/** The answer with its instant on this clock. */
function onClock(clock: Clock, server: Pick<PoolServer, "clock">, answer: Answer): Answer {
  const { publishedAt } = answer.timing;
  if (server.clock === clock || publishedAt === undefined) return answer;
  const timing = { ...answer.timing, publishedAt: publishedAt - clockAheadMs(server, clock) };
  return { ...answer, timing };
}

/** Resolves to all answers, or rejects as soon as one of them fails the whole call. */
const allUnlessFailed = (answers: Promise<Answer>[], record: CallRecord): Promise<Answer[]> =>
  Promise.all(
    answers.map(async (each) => {
      const answer = await each;
      record.answered(answer);
      const failure = callFailure(answer.outcome);
      if (failure !== undefined) throw failure;
      return answer;
    }),
  );

/** `reached` resolves when the client disconnects or `withinMs` is over. */
function endOfCall(signal: AbortSignal, withinMs: number): Disposable & { reached: Promise<undefined> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  const timer = setTimeout(end, Math.max(0, Math.ceil(withinMs)));
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  return {
    reached: promise,
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    },
  };
}

export type DispatchParts = {
  clock: Clock;
  /** The id of this process, which the answers are addressed to. */
  ingress: string;
  pools: Pick<PoolServers, "fresh" | "serverOf">;
  tasks: Pick<TaskOutbox, "send">;
  ownState: () => OwnState;
  /** A number from 0 to less than 1, for the choice of a pool. */
  random: () => number;
};
