import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Log } from "@faceline/contracts/runtime/log";
import type { Answer } from "@faceline/contracts/wire/answer";
import { CallId, taskId } from "@faceline/contracts/wire/ids";
import { soonestPool } from "./admission.ts";
import type { AnswerInbox } from "./answer-inbox.ts";
import type { CancelOutbox } from "./cancel-outbox.ts";
import type { ImageOutbox } from "./image-outbox.ts";
import type { PoolInbox } from "./pool-inbox.ts";
import type { FacesCall } from "./ports.ts";
import { randomBytes } from "./random.ts";
import { Refusal } from "./refusal.ts";
import type { TaskOutbox } from "./task-outbox.ts";

/** What a client is told to wait for when a server behind us is away: the time in which ours reconnect. */
const dependencyRetryMs = 1_000;

/**
 * Has the faces of a call's images found: lays the images, posts the tasks, and waits for one answer each. However it
 * ends, nothing of it stays behind: the images are taken away, nobody listens, and what still waits is cancelled.
 */
export async function findFaces(parts: CallParts, call: FacesCall): Promise<Answer[]> {
  const { clock, ingress, pools, images, tasks, answers, cancels, log } = parts;
  const pool = soonestPool(pools.fresh(), new Set([call.lane]), clock.now(), call.deadlineAt);

  const callId = CallId.parse(`${call.requestId}/${randomBytes(12).toString("base64url")}`);
  const ids = call.images.map((_, index) => taskId(callId, index));
  // Listen before asking: a fast worker must not answer into an empty room.
  using listening = answers.listen(ids);
  using _laid = await images.lay(
    ids.map((task, index) => ({ task, bytes: call.images[index]! })),
    call.deadlineAt - clock.now(),
  );
  const { requestId, tenant, lane, arrivedAt, deadlineAt, options, traceparent } = call;
  const message = {
    requestId,
    call: callId,
    tenant,
    lane,
    ingress,
    arrivedAt,
    deadlineAt,
    options,
    traceparent,
    tasks: ids,
  };
  const giveUp = whenOver(call.signal, deadlineAt - clock.now());
  using _watch = giveUp;
  try {
    await Promise.race([tasks.send(pool, message), giveUp.over]);
  } catch (error) {
    log.warn({ requestId, reason: (error as Error).message }, "tasks could not be posted");
    throw new Refusal("dependency_unavailable", "Work cannot be queued right now; try again shortly.", {
      retryAfterMs: dependencyRetryMs,
    });
  }

  const answered = await Promise.race([listening.answers, giveUp.over]);
  if (answered !== undefined) return answered;
  void cancels.send(pool, { call: callId });
  throw new Refusal("upstream_timeout", "The deadline passed before the answer came.");
}

/** Resolves when the client has hung up, or its time is over. */
function whenOver(hungUp: AbortSignal, withinMs: number): Disposable & { over: Promise<undefined> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const giveUp = () => resolve(undefined);
  const timer = setTimeout(giveUp, Math.max(0, Math.ceil(withinMs)));
  hungUp.addEventListener("abort", giveUp);
  if (hungUp.aborted) giveUp();
  return {
    over: promise,
    [Symbol.dispose]() {
      clearTimeout(timer);
      hungUp.removeEventListener("abort", giveUp);
    },
  };
}

export type CallParts = {
  clock: Clock;
  ingress: string;
  pools: PoolInbox;
  images: ImageOutbox;
  tasks: Pick<TaskOutbox, "send">;
  answers: AnswerInbox;
  cancels: CancelOutbox;
  log: Log;
};
