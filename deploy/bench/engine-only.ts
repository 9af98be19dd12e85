import { IpcChild } from "./observe/ipc-child.ts";

/** Starts the engine in a process of its own: decoding and networks, nothing of the service around them. */
export async function openEngineOnly(options: EngineOnlyOptions): Promise<EngineOnly> {
  const { lane, threads, faces = "every", pictures, modelsDir } = options;
  await using opened = new AsyncDisposableStack();
  const child = opened.use(
    new IpcChild(
      "the engine-only process",
      "inference/engine.bench.ts",
      [lane, `${threads}`, faces, ...pictures],
      { env: { MODELS_DIR: modelsDir } },
    ),
  );
  await child.receive();
  const open = opened.move();
  return {
    pid: child.pid,
    call: async (index) => (await child.request({ call: index })) as EngineCall,
    loop: async (count) => ((await child.request({ loop: count })) as EngineCall).tookMs,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type EngineOnlyOptions = {
  lane: string;
  threads: number;
  /** Every face of a picture, at full resolution, or one that is clear at a low one. */
  faces?: "every" | "clear";
  pictures: string[];
  modelsDir: string;
};

export type EngineOnly = AsyncDisposable & {
  pid: number;
  /** Decodes and runs one of the pictures, in turn. */
  call(index: number): Promise<EngineCall>;
  /** Runs that many pictures as fast as it can, decoding one ahead; returns ms of all together. */
  loop(count: number): Promise<number>;
};

export type EngineCall = { tookMs: number; decodeMs: number };
