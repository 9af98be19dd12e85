import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "@faceline/contracts/runtime/config";
import { capture } from "../../launcher/capture.ts";
import { LauncherConfig } from "../../launcher/settings.ts";
import { repository } from "../../launcher/state-folder.ts";

// Covered by ../chart.e2e.test.ts.

/** Where the tools are built, once for each version. */
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
  name: "kubernetes" | "keda" | "prometheusOperator",
  folder: string,
  stop: AbortSignal,
): Promise<string> {
  const { path, version } = pins[name];
  const printed = await go(["mod", "download", "-json", `${path}@${version}`], { cwd: create(folder), stop });
  return (JSON.parse(printed.slice(printed.indexOf("{"))) as { Dir: string }).Dir;
}

/**
 * Returns the path of Kubernetes' API server, built once into `folder`. That takes some twenty minutes of a
 * core and 5 GB of Go's caches. The module of Kubernetes names its parts by folders that are not in it, so a
 * module of this folder names them by their versions.
 */
export async function buildApiServer(folder: string, stop: AbortSignal): Promise<string> {
  const { path, version } = pins.kubernetes;
  const own = join(folder, `kube-apiserver-${version}`);
  const program = join(own, "kube-apiserver");
  if (existsSync(program)) return program;
  const sources = await fetchModule("kubernetes", folder, stop);
  const requirements = readFileSync(join(sources, "go.mod"), "utf8");
  writeFileSync(join(create(own), "go.mod"), moduleFile(requirements));
  const stamp = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`;
  const options = ["-mod=mod", "-trimpath", "-ldflags", stamp, "-o", program];
  await go(["build", ...options, `${path}/cmd/kube-apiserver`], { cwd: own, stop });
  return program;
}

/** A go.mod that requires Kubernetes, and its parts as `v0.36.3` where Kubernetes is v1.36.3. */
function moduleFile(requirements: string): string {
  const { path, version } = pins.kubernetes;
  const [, goVersion] = /^go (\S+)$/m.exec(requirements)!;
  const parts = new Set(
    [...requirements.matchAll(/(k8s\.io\/\S+) v0\.0\.0(?=\s)/g)].map(([, part]) => part!),
  );
  return [
    "module faceline.invalid/apiserver",
    `go ${goVersion}`,
    `require ${path} ${version}`,
    ...[...parts].map((part) => `replace ${part} => ${part} ${version.replace("v1", "v0")}`),
    "",
  ].join("\n");
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
