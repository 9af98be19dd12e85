// Covers deploy/chart, without Helm.
import assert from "node:assert/strict";
import test from "node:test";
import { Ajv } from "ajv";
import { parse } from "yaml";
import { secretFiles } from "@faceline/deploy/compose/secret-files";
import { poolWorkersMax } from "@faceline/contracts/wire/names";
import { settingsOf } from "./service-settings.ts";
import { findFiles, read } from "./source.ts";

const chart = "deploy/chart";
const templates = findFiles(`${chart}/templates/*`).map((file) => read(file));
const schema = JSON.parse(read(`${chart}/values.schema.json`)) as ValuesSchema;
const values = parse(read(`${chart}/values.yaml`)) as Values;
const isValid = new Ajv({ allErrors: true, strict: false }).compile(schema);

test("the chart has the version of the product", () => {
  const { version, appVersion } = parse(read(`${chart}/Chart.yaml`)) as Record<string, string>;
  const product = (JSON.parse(read("package.json")) as { version: string }).version;
  assert.deepEqual([version, appVersion], [product, product]);
});

test("an example of values trusts no proxy that an operator has not named", () => {
  for (const file of findFiles(`${chart}/values-*.yaml`)) {
    const { settings } = parse(read(file)) as { settings?: { ingress?: Record<string, string> } };
    const trusted = settings?.ingress?.["TRUSTED_PROXIES"]?.split(",") ?? [];
    // A range for documentation, and what only the pod itself can reach.
    assert.deepEqual(
      trusted.filter((range) => range !== "192.0.2.0/24" && range !== "127.0.0.0/8"),
      [],
      file,
    );
  }
});

test("a service outside the cluster keeps the address of its clients, by which limits count", () => {
  const [service] = templates.filter((text) => text.includes("type: {{ $ingress.service.type }}"));
  assert.match(
    service!,
    /ne \$ingress\.service\.type "ClusterIP" }}\n.*\n {2}externalTrafficPolicy: Local\n/,
  );
});

test("each setting of a service is set by a template or allowed in `settings`, and no other name is", () => {
  const { all, ingressAndWorkers, ingress, workers, setUp } = schema.properties.settings.properties;
  const { batcherSettings, workerSettings } = schema.definitions;
  const allowed = (...groups: Group[]) => groups.flatMap(namesOf);
  const allowedOf = {
    ingress: allowed(all!, ingressAndWorkers!, ingress!),
    batcher: allowed(all!, batcherSettings!),
    inference: allowed(all!, workerSettings!),
  };
  assert.deepEqual(allowed(ingressAndWorkers!, workers!).toSorted(), allowed(workerSettings!).toSorted());
  const schemas = { ingress: "IngressConfig", batcher: "BatcherConfig", inference: "InferenceConfig" };
  const set = settingsInTemplates();
  const topicSettings = settingsOf("runtime/src/pool-topics.ts", "TopicsConfig");
  const batcherTemplate = read(`${chart}/templates/pools.yaml`);
  assert.deepEqual(
    topicSettings.filter((name) => !batcherTemplate.includes(`"${name}"`)),
    [],
  );
  for (const [service, allowed] of Object.entries(allowedOf)) {
    const names = settingsOf(`${service}/src/config.ts`, schemas[service as keyof typeof schemas]);
    // The batcher has those of topics from `setUp`.
    const missing = names.filter(
      (name) => !allowed.includes(name) && !set.has(name) && !topicSettings.includes(name),
    );
    assert.deepEqual(
      missing,
      names.filter((name) => leftOut.has(name)),
      service,
    );
    assert.deepEqual(
      allowed.filter((name) => !names.includes(name)),
      [],
      service,
    );
    assert.deepEqual(
      allowed.filter((name) => set.has(name)),
      [],
      `${service}: set by the chart itself`,
    );
  }
  const launcher = settingsOf("deploy/launcher/settings.ts", "LauncherConfig");
  assert.deepEqual(
    allowed(setUp!).filter((name) => !launcher.includes(name)),
    [],
  );
});

test("each environment variable of a template is a setting of docs/operating", () => {
  const rows = findFiles("docs/operating/{settings,tuning-settings}.md")
    .flatMap((file) => read(file).split("\n"))
    .filter((line) => line.startsWith("| `"));
  const documented = new Set(rows.flatMap((row) => row.split("|")[1]!.match(/[A-Z][A-Z0-9_]+/g) ?? []));
  const unknown = [...settingsInTemplates()].filter((name) => !documented.has(name));
  assert.deepEqual(unknown.toSorted(), ofOthers);
});

test("each value that a template reads by its whole path is in values.yaml", () => {
  const paths = templates.flatMap((text) =>
    [...text.matchAll(/(?:\.Values|\$values)\.([\w.]+)/g)].map(([, path]) => path!),
  );
  assert.ok(paths.length > 40, "the paths were found");
  // Settings that an operator may have set.
  const optional = /^settings\.\w+\.[A-Z_]+$/;
  assert.deepEqual(
    [...new Set(paths)].filter((path) => !optional.test(path) && valueAt(path) === undefined),
    [],
  );
});

for (const file of findFiles(`${chart}/values*.yaml`)) {
  test(`${file} has the types of values.schema.json`, () => {
    assert.ok(isValid(over(values, parse(read(file)))), JSON.stringify(isValid.errors));
  });
}

const mistakes: Record<string, unknown> = {
  "a value that does not exist": { ingres: { replicas: 2 } },
  "a wrong type": { ingress: { replicas: "two" } },
  "a misspelt setting": { settings: { all: { LOG_LEVLE: "debug" } } },
  "a misspelt variable of OpenTelemetry": { settings: { all: { OTEL_EXPORTER_OTLP_HEADER: "a=b" } } },
  "a token in a setting": { settings: { all: { OTEL_EXPORTER_OTLP_HEADERS: "a=b" } } },
  "a misspelt part of a pod": { ingress: { extra: { podAnotations: {} } } },
  "a volume without a name": { setUp: { extra: { volumes: [{ emptyDir: {} }] } } },
  "a volume of two kinds": { models: { volume: { emptyDir: {}, hostPath: { path: "/" } } } },
  "off, which YAML reads as false": { settings: { ingress: { AUTH: false } } },
  "a setting of another service": { settings: { batcher: { BATCH_MAX: 8 } } },
  "a setting that the chart has a value for": { settings: { ingress: { POOLS: "a,b" } } },
  "a password in an address": { redis: { durable: { address: "me:secret@redis:6379" } } },
  "more workers than partitions": { pools: [{ name: "default", workers: { replicas: poolWorkersMax + 1 } }] },
  "an operators' port that everybody may reach": { operators: { peers: [] } },
  "a pool without a name": { pools: [{ workers: { replicas: 1 } }] },
};
for (const [name, mistake] of Object.entries(mistakes)) {
  test(`values.schema.json refuses ${name}`, () => {
    assert.equal(isValid(over(values, mistake)), false);
  });
}

test("the keys of secrets in values.yaml are files that `npm run secrets` makes", () => {
  const made = Object.keys(secretFiles(() => undefined));
  const keys = secretKeys(values).filter((key) => key !== "");
  assert.ok(keys.length >= 8, "the keys were found");
  assert.deepEqual(
    keys.filter((key) => !made.includes(key)),
    [],
  );
});

test("alerts and dashboards of the chart are those of deploy/observe", () => {
  for (const name of ["alerts.yml", "grafana/capacity.json"]) {
    assert.equal(read(`${chart}/files/${name}`), read(`deploy/observe/${name}`), name);
  }
});

/** Settings of services that nobody needs here: secrets by value, and what the images decide. */
const leftOut = new Set([
  "KAFKA_SASL_PASSWORD",
  "OPERATORS_TOKEN",
  // `telemetry.endpoint` is for both, because policies of the network need its port.
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
  "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
  // All pools of the chart share one volatile Redis.
  "POOL_REDIS_VOLATILE_URLS",
  "POOL_REDIS_VOLATILE_PASSWORD_FILES",
  // A pod has one device.
]);

/** Variables of the dynamic linker, of glibc, of OpenTelemetry's SDK, and for its attributes. */
const ofOthers = [
  "LD_LIBRARY_PATH",
  "NODE_NAME",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_RESOURCE_ATTRIBUTES",
  "POD_NAME",
  "POD_UID",
];

/** Names that a map of settings may have; of those of OpenTelemetry the ones that services read. */
const namesOf = ({ propertyNames }: Group): string[] =>
  "enum" in propertyNames
    ? propertyNames.enum
    : [
        ...propertyNames.anyOf[0].enum,
        ...settingsOf("ingress/src/config.ts", "IngressConfig").filter(isOtelName),
      ];

const isOtelName = (name: string): boolean => new RegExp(schema.definitions.otelName.pattern).test(name);

/** `- { name: POOL, …`, `- name: SMTP_URL` and `"SMTP_PASSWORD_FILE"`. */
const settingsInTemplates = (): Set<string> =>
  new Set(
    templates.flatMap((text) =>
      [...text.matchAll(/\bname: ([A-Z][A-Z_]+)\b|set \$files "([A-Z_]+)"/g)].map(
        ([, name, file]) => (name ?? file)!,
      ),
    ),
  );

const valueAt = (path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (value as Values | undefined)?.[key], values);

/** Joins maps and replaces everything else, as Helm does. */
function over(base: unknown, top: unknown): unknown {
  if (!isMap(base) || !isMap(top)) return top;
  const keys = [...new Set([...Object.keys(base), ...Object.keys(top)])];
  return Object.fromEntries(keys.map((key) => [key, key in top ? over(base[key], top[key]) : base[key]]));
}

const isMap = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function secretKeys(value: unknown): string[] {
  if (!isMap(value)) return [];
  if (isSecretKey(value)) return [value["key"] as string];
  return Object.values(value).flatMap(secretKeys);
}

const isSecretKey = (value: Values): boolean => Object.keys(value).toSorted().join() === "key,secret";

type Values = { [key: string]: unknown };
type Group = { propertyNames: { enum: string[] } | { anyOf: [{ enum: string[] }, unknown] } };
type ValuesSchema = {
  definitions: { [name: string]: Group } & { otelName: { pattern: string } };
  properties: { settings: { properties: { [name: string]: Group } } };
};
