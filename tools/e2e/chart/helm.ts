import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { kubernetesVersion } from "../stand-ins/chart-tools.ts";
import type { Manifest } from "../stand-ins/chart-schemas.ts";

const chartFolder = join(repository, "deploy/chart");
/** The files of values that the chart brings. */
export const valuesFiles = ["laptop", "cpu", "gpu", "managed", "mesh", "airgapped"].map(
  (name) => `values-${name}.yaml`,
);

const run = promisify(execFile);

/** Throws what `helm lint --strict` says against the chart with these values. */
export async function lint(helm: string, { file, set }: ChartValues): Promise<void> {
  await run(helm, ["lint", "--strict", chartFolder, ...valueArguments({ file, set })]).catch(explain);
}

/** Returns the objects that Helm would install in the namespace `faceline`. Throws what it says otherwise. */
export async function render(helm: string, { file, set }: ChartValues): Promise<Manifest[]> {
  const cluster = ["--namespace", "faceline", "--kube-version", kubernetesVersion];
  const args = ["template", "faceline", chartFolder, ...cluster, ...valueArguments({ file, set })];
  const { stdout } = await run(helm, args, { maxBuffer: outputBytesMax }).catch(explain);
  const documents = parseAllDocuments(stdout, { merge: true });
  return documents.map((document) => document.toJS() as Manifest | null).filter((each) => each !== null);
}

function explain({ stdout, stderr }: { stdout: string; stderr: string }): never {
  const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => !line.includes("found symbolic link"));
  throw new Error(lines.join("\n").trim());
}

const valueArguments = ({ file, set = {} }: ChartValues): string[] => [
  "--values",
  join(chartFolder, file),
  ...Object.entries(set).flatMap(([path, value]) => ["--set-json", `${path}=${JSON.stringify(value)}`]),
];

/** Enough for the dashboards in the output. */
const outputBytesMax = 16 * 2 ** 20;

/** A file of values of the chart, and values by their path over it. */
type ChartValues = { file: string; set?: Record<string, unknown> | undefined };
