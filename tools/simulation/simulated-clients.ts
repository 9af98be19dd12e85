// Used by simulation.ts.
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import { type CallId, callIdOf, type LaneId, type TaskId } from "@faceline/contracts/wire/ids";
import type { LaneBuild } from "@faceline/contracts/wire/lane-build";
import type { CallTasks } from "@faceline/contracts/wire/task";
import { noWait } from "@faceline/contracts/wire/timing";
import type { Arrival } from "./arrivals.ts";
import type { WorkerTimes } from "./simulated-worker.ts";

/** Who calls: makes the message of each call, and keeps the answers to it. */
export class SimulatedClients {
  readonly calls = new Map<CallId, Call>();
  readonly #usualLane: LaneId;
  readonly #callEnded: ((call: Call) => void) | undefined;

  /**
   * `usualLane`: of arrivals that name none. With `callEnded`, a call is forgotten when each of its tasks has
   * an answer.
   */
  constructor(usualLane: LaneId, callEnded: ((call: Call) => void) | undefined) {
    this.#usualLane = usualLane;
    this.#callEnded = callEnded;
  }

  call(index: number, arrival: Arrival, now: number): CallTasks {
    const { tenant, tasks, timeBudgetMs, cost = 1, costs, lane = this.#usualLane } = arrival;
    const id = `${index}/${nonce}` as CallId;
    const taskIds: TaskId[] = [];
    for (let task = 0; task < tasks; task++) taskIds.push(`${id}/${task}` as TaskId);
    const message: CallTasks = {
      requestId: `${index}` as CallTasks["requestId"],
      call: id,
      tenant,
      lane,
      ingress: "ingress-0000000000000000",
      arrivedAt: now,
      deadlineAt: now + timeBudgetMs,
      options,
      traceparent,
      tasks: taskIds,
      costs: costs === undefined ? taskIds.map(() => cost) : [...costs],
    };
    const { arrivedAt, deadlineAt } = message;
    this.calls.set(id, { tenant, lane, arrivedAt, deadlineAt, tasks: taskIds, answers: [] });
    return message;
  }

  /** `tasksRun` are those of the batch that ran; the others were past their deadline. */
  answerBatch(batch: Batch, tasksRun: ReadonlySet<BatchTask>, run: BatchRun): void {
    const { build, times, now } = run;
    for (const task of batch.tasks) {
      const { queueMs, holdMs, retryMs } = task.waited ?? noWait;
      const waitMs = queueMs + holdMs + retryMs + times.behindOthersMs;
      const { prepareMs, runMs } = times;
      const kind = tasksRun.has(task) ? "faces" : "expired";
      this.answer({ task: task.id, kind, at: now, build, stages: { waitMs, prepareMs, runMs } });
    }
  }

  answer(answer: Answer): void {
    const id = callIdOf(answer.task);
    const call = this.calls.get(id);
    // A second answer to a task, after its call was forgotten.
    if (call === undefined) return;
    call.answers.push(answer);
    if (this.#callEnded === undefined || call.answers.length < call.tasks.length) return;
    this.calls.delete(id);
    this.#callEnded(call);
  }
}

const nonce = "n".repeat(16);
const options = { align: true, enforceDetection: true, facesMax: 1, fullResolution: false };
const traceparent = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;

/** A call and the answers to its tasks. The first answer to a task counts. */
export type Call = {
  tenant: string;
  lane: CallTasks["lane"];
  arrivedAt: number;
  deadlineAt: number;
  tasks: TaskId[];
  answers: Answer[];
};

export type Answer = {
  task: TaskId;
  kind: "faces" | "shed" | "expired" | "failed";
  at: number;
  /** Why the task was refused or failed. */
  reason?: string;
  /** Build of the worker that gave it. */
  build?: LaneBuild;
  /** Parts of its time between the arrival at the scheduler and the end of its run. */
  stages?: { waitMs: number; prepareMs: number; runMs: number };
};

type BatchRun = { build: LaneBuild; times: WorkerTimes; now: number };
