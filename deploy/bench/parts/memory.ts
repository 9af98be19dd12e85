import { processMemoryIsReadable } from "../../testing/process-memory.ts";
import type { Bench, Measured } from "../bench.ts";
import { table } from "../figures.ts";
import { flatnessOf, growthMax } from "../flatness.ts";
import { HttpClient, type Target } from "../http-client.ts";
import { mixedPictures, mixture } from "../mixed-pictures.ts";
import { Residents, services, wholeStack } from "../residents.ts";
import { openStack } from "../stack.ts";

/** What every process keeps in memory while thousands of mixed pictures are served, and whether it grows with them. */
export async function memory(bench: Bench): Promise<Measured> {
  const { quick, steps, stop } = bench;
  const count = quick ? 1_000 : 10_000;
  const plan = { count, inFlight: 4, warmUp: count / 10, countedFrom: count / 5, mixture };
  if (!processMemoryIsReadable) return { plan, results: null, tables: "Memory is only told on Linux." };

  const { pictures, order } = await steps.run("pictures", () => mixedPictures(count));
  await using stack = await openStack(bench);
  const detectors = ["ssd", "tiny"];
  const bodies = pictures.flatMap((picture) => {
    const img = picture.toString("base64");
    return detectors.map((detector_backend) => ({ img, detector_backend }));
  });
  const target = stack.target("/represent", bodies);
  let served = 0;
  const residents = new Residents(
    () => bench.servers.watch.record?.leaders() ?? {},
    () => served,
  );
  const startedAt = performance.now();
  const ends = await steps.run(`${count} pictures`, async (note) => {
    using _looking = residents;
    // Every fourth is asked of the small detector.
    const calls = order.map((picture, i) => detectors.length * picture + (i % 4 === 3 ? 1 : 0));
    const ends = await send(target, calls, plan.inFlight, () => {
      stop.throwIfAborted();
      served++;
    });
    note(`${((1_000 * count) / (performance.now() - startedAt)).toFixed(1)} a second`);
    return ends;
  });
  const results = { tookMs: performance.now() - startedAt, ends, residents: residents.byName };
  return { plan, results, tables: tables(residents, ends, plan) };
}

/** So many at a time, each as soon as there is room. */
async function send(target: Target, calls: number[], inFlight: number, done: () => void): Promise<Ends> {
  using client = new HttpClient(target, inFlight);
  const ends: Ends = {};
  const left = calls.values();
  const hand = async (): Promise<void> => {
    for (const body of left) {
      const { ended } = await client.post(body, giveUpMs);
      ends[ended] = (ends[ended] ?? 0) + 1;
      done();
    }
  };
  await Promise.all(Array.from({ length: inFlight }, hand));
  return ends;
}

const giveUpMs = 30_000;

function tables(residents: Residents, ends: Ends, { count, warmUp, countedFrom }: Plan): string {
  const names = Object.keys(residents.byName).filter((name) => name !== services && name !== wholeStack);
  names.push(services, wholeStack);
  const rows = Array.from({ length: count / warmUp + 1 }, (_, i) => {
    const served = i * warmUp;
    return [`${served}`, ...names.map((name) => residents.at(name, served).toFixed(0))];
  });
  const verdicts = names.map((name) => {
    const { mibPerThousand, growth, flat } = flatnessOf(residents.byName[name]!, {
      from: countedFrom,
      to: count,
    });
    const most = Math.max(...residents.byName[name]!.map(({ mib }) => mib));
    const signed = (value: number, digits: number) => `${value < 0 ? "" : "+"}${value.toFixed(digits)}`;
    return [
      name,
      most.toFixed(0),
      signed(mibPerThousand, 2),
      signed(100 * growth, 1),
      flat ? "flat" : "not flat",
    ];
  });
  const ended = Object.entries(ends).map(([end, calls]) => `${calls} × ${end}`);
  const half = (count + countedFrom) / 2;
  return [
    "Resident MiB after so many pictures:",
    table(["pictures", ...names], rows),
    `From ${countedFrom} to ${count}; growth is that of the median from ${half} on over the median before, and flat is up to ${100 * growthMax} %:`,
    table(["", "most MiB", "MiB per 1,000 pictures", "growth %", ""], verdicts),
    `Ended: ${ended.join(", ")}.`,
  ].join("\n\n");
}

type Ends = Record<string, number>;
type Plan = { count: number; warmUp: number; countedFrom: number };
