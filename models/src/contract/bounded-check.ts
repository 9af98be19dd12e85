import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { makeEmptyFolder } from "../empty-folder.ts";
import type { ContractShape } from "./check.ts";
import type { CheckReply, CheckRequest } from "./check-process.ts";
import type { DetectorShape } from "./detector-check.ts";

/**
 * Checks a model as `checkRecogniser` or `checkDetector` does, in a process of its own that is killed after
 * `checkMaxMs`: onnxruntime cannot be interrupted, and a graph may loop forever or crash the process. Its
 * working folder is empty. Returns the embeddings of a recogniser; none for a detector. Throws one sentence.
 */
export async function checkWithin(
  onnx: Uint8Array,
  contract: ContractShape | DetectorShape,
  maxMs: number = checkMaxMs,
): Promise<Float32Array[]> {
  using folder = makeEmptyFolder();
  const options = { serialization: "advanced", cwd: folder.path } as const;
  const child = fork(new URL("./check-process.ts", import.meta.url), options);
  const timer = new AbortController();
  const { signal } = timer;
  try {
    child.send({ onnx, contract } satisfies CheckRequest);
    const reply = await Promise.race([
      once(child, "message", { signal }).then(([reply]) => reply as CheckReply),
      once(child, "exit", { signal }).then(
        ([code, by]): CheckReply => ({
          sentence: `Its checks ended the process that ran them (${by ?? `code ${code}`}).`,
        }),
      ),
      sleep(maxMs, undefined, { signal }).then(
        (): CheckReply => ({
          sentence: `Its checks did not end within ${maxMs / 1_000} s: five runs of it, on two faces.`,
        }),
      ),
    ]);
    if ("sentence" in reply) throw new Error(reply.sentence);
    return reply.golden;
  } finally {
    timer.abort();
    child.kill("SIGKILL");
  }
}

/** Five runs of a ResNet-100 take some seconds on one core. */
const checkMaxMs = 120_000;
