import type { Clock } from "@faceline/runtime/clock";
import type { Log } from "@faceline/runtime/log";
import type { VolatileConnection, VolatileServer } from "@faceline/runtime/redis";
import { type AnswerInbox, openAnswerInbox } from "../answer-inbox.ts";
import { type CancelOutbox, openCancelOutbox } from "../cancel-outbox.ts";
import { type ImageOutbox, openImageOutbox } from "../image-outbox.ts";
import type { SharedBudget } from "../limits/shared-budget.ts";
import { openPoolInbox, type PoolInbox } from "../pool-inbox.ts";

/** Opens what goes through one volatile Redis for the pools that use it. */
export async function openPoolServer(parts: PoolServerParts): Promise<PoolServer> {
  const { config, pools, ingress, clock, commands, images, budget, log } = parts;
  await using opened = new AsyncDisposableStack();
  const states = opened.use(await openPoolInbox({ config, pools, log }));
  const answers = opened.use(await openAnswerInbox({ config, ingress, redis: commands, log }));
  const open = opened.move();
  return {
    clock,
    states,
    answers,
    images: openImageOutbox({ images, commands, budget }),
    cancels: openCancelOutbox(commands),
    usable: () => commands.usable && images.usable && answers.connected(),
    healthy: () => commands.healthy && images.healthy && answers.isHealthy(),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export type PoolServerParts = {
  config: VolatileServer;
  pools: string[];
  ingress: string;
  /** The clock of this server. */
  clock: Clock;
  commands: VolatileConnection;
  images: VolatileConnection;
  budget: SharedBudget;
  log: Log;
};

export type PoolServer = AsyncDisposable & {
  /** Deadlines in messages to its pools are instants of this clock. */
  clock: Clock;
  states: PoolInbox;
  images: ImageOutbox;
  answers: AnswerInbox;
  cancels: CancelOutbox;
  /** Whether it has answered lately on every connection that calls need. */
  usable(): boolean;
  /** False while it is not usable and is to blame. */
  healthy(): boolean;
};
