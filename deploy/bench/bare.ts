import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repository } from "../launcher/state-folder.ts";

/** The engine in a process of its own, without anything of the service around it. */
export async function openBare({
  lane,
  threads,
  faces = "every",
  pictures,
  modelsDir,
}: BareOptions): Promise<Bare> {
  const main = join(repository, "inference/engine.bench.ts");
  const child = spawn(process.execPath, [main, lane, `${threads}`, faces, ...pictures], {
    // The leader of a group of its own: its CPU time is told apart.
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, MODELS_DIR: modelsDir },
  });
  await said(child, "the bare engine");
  const ask = async (what: { call: number } | { loop: number }): Promise<BareCall> => {
    child.send(what);
    return (await said(child, "the bare engine")) as BareCall;
  };
  return {
    pid: child.pid!,
    call: (index) => ask({ call: index }),
    loop: async (count) => (await ask({ loop: count })).tookMs,
    async [Symbol.asyncDispose]() {
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}

/** The next message of a program. Throws where it ends instead. */
export async function said(child: ChildProcess, who: string): Promise<unknown> {
  const stop = new AbortController();
  const died = once(child, "exit", { signal: stop.signal }).then(() => {
    throw new Error(`${who} ended`);
  });
  const message = await Promise.race([once(child, "message"), died]);
  died.catch(() => {});
  stop.abort();
  return message[0];
}

export type BareOptions = {
  lane: string;
  threads: number;
  /** Every face of a picture is looked for, or a clear one. */
  faces?: "every" | "clear";
  pictures: string[];
  modelsDir: string;
};

export type Bare = AsyncDisposable & {
  pid: number;
  /** Decodes and runs one of the pictures, in turn. */
  call(index: number): Promise<BareCall>;
  /** As fast as it goes, decoding one ahead: milliseconds of all. */
  loop(count: number): Promise<number>;
};

export type BareCall = { tookMs: number; decodeMs: number };
