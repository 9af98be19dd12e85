import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Log } from "@faceline/contracts/runtime/log";
import type { BatchTask } from "@faceline/contracts/wire/batch";
import type { TaskId } from "@faceline/contracts/wire/ids";
import type { AnswerOutbox } from "./answer-outbox.ts";
import type { BatchOutbox } from "./batch-outbox.ts";
import { decide } from "./scheduling/decide.ts";
import type { Event, Move, State } from "./scheduling/state.ts";

/**
 * Acts on what the scheduler decides: the one place where decisions become messages, answers and timers.
 */
export function startPulse({ state, clock, batches, answers, log }: PulseParts): Pulse {
  const endedListeners: ((tasks: TaskId[]) => void)[] = [];
  const decidedListeners: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const tell = (event: Event): void => {
    if (stopped) return;
    act(decide(state, event, clock.now()));
    // What time alone changes is told with the next regular state: ten looks a second would cost an idle pool.
    if (event.kind === "timer") return;
    for (const listener of decidedListeners) listener();
  };

  const act = (moves: Move[]): void => {
    const own: Extract<Move, { kind: "answer" }>[] = [];
    for (const move of moves) {
      switch (move.kind) {
        case "dispatch":
          batches.send(move.partition, move.batch).catch((error: Error) => {
            log.warn(
              { batch: move.batch.id, reason: error.message },
              "a batch was not sent; its tasks wait again",
            );
            tell({ kind: "undelivered", batch: move.batch.id });
          });
          break;
        case "answer":
          own.push(move);
          break;
        case "ended":
          announce(move.tasks);
          break;
        case "wake":
          clearTimeout(timer);
          // Timers drop fractions of a millisecond: rounded up, or the wake would come too soon.
          timer = setTimeout(() => tell({ kind: "timer" }), Math.ceil(move.at - clock.now()));
          break;
      }
    }
    if (own.length > 0) void answer(own);
  };

  /** Ended even where the answer could not be laid: its caller hears of the deadline, and we do not stumble on. */
  const answer = async (
    own: { task: BatchTask; outcome: Extract<Move, { kind: "answer" }>["outcome"] }[],
  ) => {
    try {
      await answers.send(own, clock.now());
    } catch (error) {
      log.warn({ tasks: own.length, reason: (error as Error).message }, "answers could not be given");
    }
    announce(own.map((each) => each.task.id));
  };

  const announce = (tasks: TaskId[]): void => {
    for (const listener of endedListeners) listener(tasks);
  };

  return {
    tell,
    onEnded: (listener) => endedListeners.push(listener),
    onDecided: (listener) => decidedListeners.push(listener),
    async [Symbol.asyncDispose]() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

type PulseParts = { state: State; clock: Clock; batches: BatchOutbox; answers: AnswerOutbox; log: Log };

export type Pulse = AsyncDisposable & {
  tell(event: Event): void;
  /** Hears which tasks have ended, however they did. */
  onEnded(listener: (tasks: TaskId[]) => void): void;
  /** Hears that something was decided, and acted on. */
  onDecided(listener: () => void): void;
};
