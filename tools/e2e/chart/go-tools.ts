import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "@faceline/runtime/config";
import { capture } from "@faceline/deploy/launcher/capture";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";

/** Folder of the tools, each built once for each version. */
export const toolsFolder = join(
  resolve(repository, readConfig(LauncherConfig, process.env).FACELINE_STATE),
  "chart-tools",
);

/** Versions of what checks the chart. Go compares all of it with its checksum database. */
export const pins = {
  helm: { path: "helm.sh/helm/v3/cmd/helm", version: "v3.22.0" },
  kubeconform: { path: "github.com/yannh/kubeconform/cmd/kubeconform", version: "v0.8.0" },
  kubernetes: { path: "k8s.io/kubernetes", version: "v1.36.3" },
  keda: { path: "github.com/kedacore/keda/v2", version: "v2.21.0" },
  prometheusOperator: {
    path: "github.com/prometheus-operator/prometheus-operator",
    version: "v0.85.0",
  },
  gatewayApi: { path: "sigs.k8s.io/gateway-api", version: "v1.6.3" },
} as const;

/**
 * Returns the path of a program, built once into `folder`, with Go and its module proxy. Throws a sentence
 * where it cannot be built.
 */
export async function installProgram(
  name: "helm" | "kubeconform",
  folder: string,
  stop: AbortSignal,
): Promise<string> {
  const { path, version } = pins[name];
  const own = join(folder, `${name}-${version}`);
  const program = join(own, name);
  if (existsSync(program)) return program;
  await go(["install", `${path}@${version}`], { cwd: create(own), stop, env: { GOBIN: own } });
  return program;
}

/** Returns the folder with the sources of a module, which Go has fetched. */
export async function fetchModule(
  name: "kubernetes" | "keda" | "prometheusOperator" | "gatewayApi",
  folder: string,
  stop: AbortSignal,
): Promise<string> {
  const { path, version } = pins[name];
  const printed = await go(["mod", "download", "-json", `${path}@${version}`], { cwd: create(folder), stop });
  return (JSON.parse(printed.slice(printed.indexOf("{"))) as { Dir: string }).Dir;
}

/** Runs Go at a low priority: a build takes minutes of all cores. Throws a sentence where it fails. */
async function go(args: string[], { cwd, stop, env }: GoOptions): Promise<string> {
  return capture("nice", ["-n", "15", "go", ...args], {
    cwd,
    env: { ...process.env, ...env },
    stop,
    failed: `go ${args[0]} failed: is Go on the PATH, and does it reach its module proxy?`,
  });
}

/** Creates a folder and returns it. */
function create(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

type GoOptions = { cwd: string; stop: AbortSignal; env?: NodeJS.ProcessEnv };
