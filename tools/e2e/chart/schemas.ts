import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { fetchModule } from "./go-tools.ts";
import type { Manifest } from "./helm.ts";

/** Kinds of Kubernetes that the chart has, as definitions of its OpenAPI document. */
const kinds = [
  "io.k8s.api.apps.v1.Deployment",
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
  "io.k8s.api.batch.v1.Job",
  "io.k8s.api.core.v1.ConfigMap",
  "io.k8s.api.core.v1.Pod",
  "io.k8s.api.core.v1.Service",
  "io.k8s.api.networking.v1.Ingress",
  "io.k8s.api.networking.v1.NetworkPolicy",
  "io.k8s.api.policy.v1.PodDisruptionBudget",
];

/**
 * Writes JSON schemas for kubeconform into `folder`, by the OpenAPI document of Kubernetes and by definitions
 * of custom resources, in which fields that are not named are errors. Returns the location for kubeconform.
 */
export function writeSchemas(folder: string, openApi: string, definitions: Definition[]): string {
  mkdirSync(folder, { recursive: true });
  const write = (kind: string, group: string, version: string, schema: Schema) => {
    // As kubeconform names them: `deployment-apps-v1`, `service-v1`, `scaledobject-keda-v1alpha1`.
    const [part] = group.split(".");
    const name = [kind, part, version].filter(Boolean).join("-").toLowerCase();
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(schema));
  };
  const document = JSON.parse(readFileSync(openApi, "utf8")) as { definitions: Record<string, Schema> };
  for (const name of kinds) {
    const [{ group, version, kind }] = document.definitions[name]!["x-kubernetes-group-version-kind"] as [
      { group: string; version: string; kind: string },
    ];
    write(kind, group, version, {
      $ref: `#/definitions/${name}`,
      definitions: reachable(document.definitions, name),
    });
  }
  for (const { spec } of definitions) {
    for (const { name: version, schema } of spec.versions) {
      write(spec.names.kind, spec.group, version, strict(schema.openAPIV3Schema));
    }
  }
  return join(folder, "{{ .ResourceKind }}{{ .KindSuffix }}.json");
}

/** Returns the definitions of the custom resources that the chart has, from the modules of their projects. */
export async function readDefinitions(folder: string, stop: AbortSignal): Promise<Definition[]> {
  const keda = await fetchModule("keda", folder, stop);
  const operator = await fetchModule("prometheusOperator", folder, stop);
  const gateway = await fetchModule("gatewayApi", folder, stop);
  const files = [
    join(keda, "config/crd/bases/keda.sh_scaledobjects.yaml"),
    join(gateway, "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"),
    join(operator, "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml"),
    join(operator, "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml"),
  ];
  return files.map((file) => parse(readFileSync(file, "utf8")) as Definition);
}

/** The definitions that `name` refers to, itself included. */
function reachable(all: Record<string, Schema>, name: string): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next in found) continue;
    const schema = all[next]!;
    found[next] = numbersToo.has(next) ? { type: ["string", "number"] } : strict(schema);
    const references = JSON.stringify(schema).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g);
    waiting.push(...[...references].map(([, target]) => target!));
  }
  return found;
}

/** Types that the document calls strings, and that the server reads numbers for too. */
const numbersToo = new Set([
  "io.k8s.apimachinery.pkg.api.resource.Quantity",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
]);

/** A schema in which no field is allowed that is not named, unless the schema says so. */
function strict(schema: Schema): Schema {
  const { properties, additionalProperties, items, ...rest } = schema;
  if (schema["x-kubernetes-int-or-string"] === true) return { type: ["string", "number"] };
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: mapValues(properties as Schemas, strict) }),
    ...(properties === undefined || isOpen ? {} : { additionalProperties: false }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: strict(additionalProperties as Schema) }
      : {}),
    ...(items === undefined ? {} : { items: strict(items as Schema) }),
  };
}

const mapValues = (schemas: Schemas, change: (schema: Schema) => Schema): Schemas =>
  Object.fromEntries(Object.entries(schemas).map(([key, value]) => [key, change(value)]));

type Schema = { [key: string]: unknown };
type Schemas = Record<string, Schema>;

type Definition = Manifest & {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: { [key: string]: unknown } } }[];
  };
};
