import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { readConfig } from "@faceline/runtime/config";
import { capture } from "@faceline/deploy/launcher/capture";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { compileSchemas, type Manifest } from "./chart-schemas.ts";

/** Versions of what checks the chart. Go compares all of it with its checksum database. */
const modules = {
  helm: "helm.sh/helm/v3/cmd/helm@v3.22.0",
  kubernetes: "k8s.io/kubernetes@v1.36.3",
  keda: "github.com/kedacore/keda/v2@v2.21.0",
  prometheusOperator: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
  gatewayApi: "sigs.k8s.io/gateway-api@v1.6.3",
};
export const kubernetesVersion = modules.kubernetes.split("@")[1]!;

/**
 * Returns the path of Helm, built once by Go, and a function that lists what is wrong with objects by the
 * schemas of Kubernetes, the Gateway API, KEDA and the Prometheus operator. Skips the test, with the reason,
 * where they cannot be had.
 */
export async function installChartTools(t: TestContext): Promise<ChartTools | undefined> {
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  const folder = join(resolve(repository, FACELINE_STATE), "chart-tools", modules.helm.split("@")[1]!);
  const helm = join(folder, "helm");
  mkdirSync(folder, { recursive: true });
  // At a low priority: a build takes minutes of all cores.
  const go = (...args: string[]) =>
    capture("nice", ["-n", "15", "go", ...args], {
      cwd: folder,
      env: { ...process.env, GOBIN: folder },
      stop: t.signal,
      failed: `go ${args[0]} failed: is Go on the PATH, and does it reach its module proxy?`,
    });
  /** Returns the folder with the sources of a module. */
  const fetchModule = async (name: keyof typeof modules): Promise<string> => {
    const printed = await go("mod", "download", "-json", modules[name]);
    return (JSON.parse(printed.slice(printed.indexOf("{"))) as { Dir: string }).Dir;
  };
  try {
    if (!existsSync(helm)) await go("install", modules.helm);
    const [keda, gateway, operator] = [
      await fetchModule("keda"),
      await fetchModule("gatewayApi"),
      await fetchModule("prometheusOperator"),
    ];
    const faultsOf = compileSchemas(join(await fetchModule("kubernetes"), "api/openapi-spec/swagger.json"), [
      join(keda, "config/crd/bases/keda.sh_scaledobjects.yaml"),
      join(gateway, "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"),
      join(operator, "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"),
      join(operator, "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"),
    ]);
    return { helm, faultsOf };
  } catch (fault) {
    // What Go printed is below the sentence.
    t.skip(`NOT TESTED: ${(fault as Error).message.replaceAll(/\s+/g, " ")}`);
    return undefined;
  }
}

type ChartTools = { helm: string; faultsOf(manifests: Manifest[]): string[] };
