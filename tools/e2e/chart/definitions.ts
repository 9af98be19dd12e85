import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { fetchModule } from "./go-tools.ts";
import type { Manifest } from "./helm.ts";

/** Returns the definitions of the custom resources that the chart has, from the modules of their projects. */
export async function readDefinitions(folder: string, stop: AbortSignal): Promise<Definition[]> {
  const keda = await fetchModule("keda", folder, stop);
  const operator = await fetchModule("prometheusOperator", folder, stop);
  const files = [
    join(keda, "config/crd/bases/keda.sh_scaledobjects.yaml"),
    join(operator, "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"),
    join(operator, "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"),
  ];
  return files.map((file) => parse(readFileSync(file, "utf8")) as Definition);
}

export type Definition = Manifest & {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: { [key: string]: unknown } } }[];
  };
};
