import { memoryIsTold } from "../../e2e/hostile/memory.ts";
import { type Bench, leadersOf, openStack, type PartResult } from "../bench.ts";
import { mixedPictures, mixture } from "../inputs/mixed-pictures.ts";
import { closedLoop, countByStatus } from "../load/closed-loop.ts";
import { allServices, MemorySampler, wholeStack } from "../observe/memory.ts";
import { table } from "../report/table.ts";
import { growthMax, memoryGrowth } from "./memory-growth.ts";

/**
 * Resident memory of every process while thousands of mixed pictures are served, and whether it grows with
 * them.
 */
export async function memory(bench: Bench): Promise<PartResult> {
  const { quick, steps, stop } = bench;
  const count = quick ? 1_000 : 10_000;
  const plan = { count, inFlight: 4, warmUp: count / 10, countedFrom: count / 5, mixture };
  if (!memoryIsTold) return { plan, results: null, tables: "Memory is measured on Linux only." };

  const { pictures, order } = await steps.run("pictures", () => mixedPictures(count));
  await using stack = await openStack(bench);
  const detectors = ["ssd", "tiny"];
  const bodies = pictures.flatMap((picture) => {
    const img = picture.toString("base64");
    return detectors.map((detector_backend) => ({ img, detector_backend }));
  });
  let served = 0;
  const sampler = new MemorySampler(
    () => leadersOf(bench),
    () => served,
  );
  const { calls, tookMs } = await steps.run(`${count} pictures`, async (note) => {
    using _sampling = sampler;
    // In this process: samples need to know how many pictures were served.
    const result = await closedLoop(
      {
        target: stack.target("/represent", bodies),
        inFlight: plan.inFlight,
        warmUp: { calls: 0 },
        counted: { calls: count },
        giveUpMs: 30_000,
        // Every fourth call is for the small detector.
        order: order.map((picture, i) => detectors.length * picture + (i % 4 === 3 ? 1 : 0)),
      },
      {
        ended() {
          stop.throwIfAborted();
          served++;
        },
      },
    );
    note(`${((1_000 * count) / result.tookMs).toFixed(1)} a second`);
    return result;
  });
  const statuses = countByStatus(calls);
  const results = { tookMs, statuses, samples: sampler.byName };
  return { plan, results, tables: tablesOf(sampler, statuses, plan) };
}

function tablesOf(
  sampler: MemorySampler,
  statuses: Record<string, number>,
  { count, warmUp, countedFrom }: Plan,
): string {
  const processes = Object.keys(sampler.byName).filter((name) => name !== allServices && name !== wholeStack);
  const names = [...processes, allServices, wholeStack];
  const rows = Array.from({ length: count / warmUp + 1 }, (_, i) => {
    const served = i * warmUp;
    return [`${served}`, ...names.map((name) => sampler.at(name, served).toFixed(0))];
  });
  const signed = (value: number, digits: number) => `${value < 0 ? "" : "+"}${value.toFixed(digits)}`;
  const growthRows = names.map((name) => {
    const samples = sampler.byName[name]!;
    const { mibPerThousand, growth, flat } = memoryGrowth(samples, { from: countedFrom, to: count });
    return [
      name,
      Math.max(...samples.map(({ mib }) => mib)).toFixed(0),
      signed(mibPerThousand, 2),
      signed(100 * growth, 1),
      flat ? "flat" : "not flat",
    ];
  });
  const half = (count + countedFrom) / 2;
  return [
    "Resident MiB after that many pictures:",
    table(["pictures", ...names], rows),
    `From ${countedFrom} to ${count} pictures. Growth: the median from ${half} on over the median before; flat is up to ${100 * growthMax} %:`,
    table(["", "max MiB", "MiB per 1,000 pictures", "growth %", ""], growthRows),
    `Calls by status: ${Object.entries(statuses)
      .map(([status, calls]) => `${calls} × ${status}`)
      .join(", ")}.`,
  ].join("\n\n");
}

type Plan = { count: number; warmUp: number; countedFrom: number };
