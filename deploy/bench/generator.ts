import {
  type ClosedLoop,
  closedLoop,
  type OneByOne,
  oneByOne,
  type TimedLoop,
  timedLoop,
} from "./closed-loop.ts";
import { type OpenLoop, openLoop } from "./open-loop.ts";

// The load generator: a process of its own, so that nobody else's work can delay a call that is due.

process.on("message", (plan: Plan) => void carryOut(plan));
process.on("disconnect", () => process.exit());
process.send!({ kind: "ready" });

async function carryOut(plan: Plan): Promise<void> {
  const result = await run(plan);
  process.send!({ kind: "result", result });
}

function run(plan: Plan): Promise<unknown> {
  switch (plan.kind) {
    case "open":
      return openLoop(plan, () => process.send!({ kind: "warm" }));
    case "closed":
      return closedLoop(plan);
    case "lonely":
      return oneByOne(plan);
    case "timed":
      return timedLoop(plan, (kind) => process.send!({ kind }));
  }
}

type Plan = OpenLoop | ClosedLoop | OneByOne | TimedLoop;
