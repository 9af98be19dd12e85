import { readFileSync } from "node:fs";
import { openBare } from "../bare.ts";
import type { Bench, Measured } from "../bench.ts";
import { Caller } from "../caller.ts";
import { type Comparison, compare, tables } from "../comparison.ts";
import { photographs, shrunk } from "../pictures.ts";
import { openStack } from "../stack.ts";

/** What the service adds to one lonely call of the real models, and how much of the bare engine's throughput it keeps. */
export async function lonely(bench: Bench): Promise<Measured> {
  const { servers, threads, key, quick, steps } = bench;
  const plan = { rounds: quick ? 1 : 5, callsOfRound: quick ? 16 : 40, inFlight: 8, warmUps: quick ? 4 : 12 };
  await using stack = await openStack(bench);
  const thumbnails = { detector: "tiny", what: "thumbnails", pictures: await shrunk(servers.state.run) };
  const cases = [
    { detector: "ssd", what: "photographs", pictures: photographs },
    { detector: "tiny", what: "photographs", pictures: photographs },
    thumbnails,
  ];
  const results: Comparison[] = [];
  for (const { detector, what, pictures } of quick ? [thumbnails] : cases) {
    const lane = `Dlib/${detector}`;
    const bodies = pictures.map((file) => ({
      img: readFileSync(file).toString("base64"),
      detector_backend: detector,
    }));
    const service = new Caller(`${stack.address}/represent`, key, bodies);
    await using bare = await openBare({ lane, threads, pictures, modelsDir: servers.models });
    const name = `${lane}, ${what}`;
    const measured = await steps.run(name, () => compare(service, bare, plan));
    results.push({ lane: name, ...measured });
  }
  return { plan, results, tables: tables(results) };
}
