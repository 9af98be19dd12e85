import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { Ports } from "../src/call/ports.ts";
import { testKey, testServer } from "../testing/server.ts";

// Measured by limits.bench.ts and usage.bench.ts.

const connections = 32;

if (!isMainThread) await load(workerData as Load);

/**
 * Lets a server with these ports answer a /verify of two vectors on 32 connections, one call after the other
 * on each, sent by another thread. Returns how many were answered, and the CPU time of this thread for each.
 */
export async function verifyRound(roundMs: number, ports: Partial<Ports>): Promise<VerifyRound> {
  const noTest = { after() {}, diagnostic: console.error } as unknown as TestContext;
  const { app } = testServer(noTest, ports);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const worker = new Worker(import.meta.filename, { workerData: { port, roundMs } satisfies Load });
  const { user, system } = process.threadCpuUsage();
  const [answered] = (await once(worker, "message")) as [number];
  const used = process.threadCpuUsage({ user, system });
  await worker.terminate();
  app.server.closeAllConnections();
  await app.close();
  return { answered, cpuUs: (used.user + used.system) / answered };
}

/** Posts how many calls were answered. */
async function load({ port, roundMs }: Load): Promise<void> {
  const body = JSON.stringify({ img1: [1, 0], img2: [1, 0] });
  const call = [
    "POST /verify HTTP/1.1",
    "host: a",
    `x-api-key: ${testKey}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
  let answered = 0;
  for (let i = 0; i < connections; i++) {
    const socket = connect(port, "127.0.0.1");
    let read = "";
    socket.on("data", (data) => {
      read += data.toString("latin1");
      const end = read.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/.exec(read)?.[1] ?? Number.NaN);
      if (end < 0 || !(read.length >= end + 4 + length)) return;
      if (!read.startsWith("HTTP/1.1 200")) throw new Error(read);
      read = "";
      answered++;
      socket.write(call);
    });
    socket.on("error", () => {});
    socket.write(call);
  }
  await sleep(roundMs);
  parentPort!.postMessage(answered);
}

type Load = { port: number; roundMs: number };

type VerifyRound = { answered: number; cpuUs: number };
