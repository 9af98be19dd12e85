// Covers deploy/chart as Helm renders it, and its objects by the schemas of Kubernetes, the Gateway API, KEDA
// and Prometheus' operator.
import assert from "node:assert/strict";
import test from "node:test";
import { settingsOf } from "@faceline/tidy/service-settings";
import { lint, render, valuesFiles } from "./chart/helm.ts";
import { componentOf, environmentOf, podNamed, podsOf, policyOf, portsOf, selects } from "./chart/pods.ts";
import type { Manifest } from "./stand-ins/chart-schemas.ts";
import { installChartTools } from "./stand-ins/chart-tools.ts";

test("the Helm chart", async (t) => {
  const tools = await installChartTools(t);
  if (tools === undefined) return;
  const { helm, faultsOf } = tools;
  const rendered = new Map<string, Manifest[]>();
  for (const file of valuesFiles) rendered.set(file, await render(helm, { file }));
  const pods = [...rendered.values()].flatMap(podsOf);
  const [managed, gpu] = ["managed", "gpu"].map((name) => rendered.get(`values-${name}.yaml`)!);

  for (const [file, manifests] of rendered) {
    await t.test(`${file} passes the linter, and its objects have the fields of their kinds`, async () => {
      await lint(helm, { file });
      assert.deepEqual(faultsOf(manifests), []);
    });
  }

  await t.test("planted mistakes are found: a field that a kind does not have, and a wrong type", () => {
    const planted = structuredClone(gpu!);
    const specOf = (kind: string) =>
      planted.find((each) => each.kind === kind)!["spec"] as Record<string, unknown>;
    specOf("Deployment")["replica"] = 5;
    specOf("ScaledObject")["maxReplicaCount"] = "8";
    const faults = faultsOf(planted).toSorted();
    assert.equal(faults.length, 2);
    assert.match(faults[0]!, /^Deployment\/spec .*"replica"/);
    assert.match(faults[1]!, /^ScaledObject\/spec\/maxReplicaCount must be integer/);
  });

  for (const [sentence, values] of wrongValues) {
    await t.test(`a wrong value ends the command: ${sentence.source}`, async () => {
      await assert.rejects(render(helm, { file: "values-laptop.yaml", set: values }), sentence);
    });
  }

  await t.test("each service is given settings that it reads, and integers as such", () => {
    for (const pod of pods) {
      const service = componentOf(pod);
      if (["redis-volatile", "test"].includes(service)) continue;
      const known = [...readBy(service), ...ofTheSystem];
      const environment = environmentOf(pod);
      assert.deepEqual(
        Object.keys(environment).filter((name) => !known.includes(name) && !otelName.test(name)),
        [],
        pod.name,
      );
      assert.ok(
        Object.values(environment).every((value) => !/^[\d.]+e[+-]\d+$/.test(value)),
        pod.name,
      );
    }
  });

  await t.test("numbers of values are not written as floating point", async () => {
    const set = {
      "settings.ingress": { BODY_BYTES_MAX: 16_777_216 },
      "settings.batcher": { UTILISATION_TARGET: 0.7 },
    };
    const changed = await render(helm, { file: "values-cpu.yaml", set });
    const { BODY_BYTES_MAX } = environmentOf(podNamed(changed, "faceline-ingress"));
    const { UTILISATION_TARGET } = environmentOf(podNamed(changed, "faceline-default-batcher"));
    assert.deepEqual([BODY_BYTES_MAX, UTILISATION_TARGET], ["16777216", "0.7"]);
  });

  await t.test("every pod is hardened, and knows nothing of Kubernetes", () => {
    for (const { name, spec } of pods) {
      const { automountServiceAccountToken, enableServiceLinks, securityContext } = spec;
      assert.deepEqual([automountServiceAccountToken, enableServiceLinks], [false, false], name);
      const { runAsNonRoot, runAsUser, seccompProfile } = securityContext;
      assert.deepEqual({ runAsNonRoot, runAsUser, seccompProfile }, hardenedPod, name);
      for (const { securityContext } of [...(spec.initContainers ?? []), ...spec.containers]) {
        assert.deepEqual(securityContext, hardened, name);
      }
    }
  });

  await t.test("a file that a setting names is in the pod, and no password is in an environment", () => {
    for (const pod of pods) {
      const mounted = (pod.spec.volumes ?? []).flatMap(({ projected }) =>
        (projected?.sources ?? []).flatMap(({ secret }) => secret.items.map(({ path }) => path)),
      );
      const named = Object.entries(environmentOf(pod)).filter(([name]) => name.endsWith("_FILE"));
      const expected = named.map(([, path]) => path.replace("/run/secrets/faceline/", ""));
      assert.deepEqual(expected.toSorted(), mounted.toSorted(), pod.name);
      assert.deepEqual(
        Object.keys(environmentOf(pod)).filter((name) => /(PASSWORD|TOKEN)$/.test(name)),
        [],
      );
    }
  });

  await t.test("a pod has time for its drain before it is killed", () => {
    for (const { name, spec } of pods) {
      const [container] = spec.containers;
      const environment = Object.fromEntries((container!.env ?? []).map((each) => [each.name, each.value]));
      const drainMs = environment["DRAIN_WITHIN_MS"] ?? environment["WORKER_DRAIN_WITHIN_MS"];
      if (drainMs === undefined) continue;
      assert.ok(spec.terminationGracePeriodSeconds! > Number(drainMs) / 1_000, name);
      // A call that an ingress accepts to the end of its notice has its whole deadline, and a second more.
      const noticeMs = Number(environment["DRAIN_NOTICE_MS"] ?? 0);
      const deadlineMs = Number(environment["DEADLINE_DEFAULT_MS"] ?? 30_000);
      if (noticeMs > 0) assert.ok(Number(drainMs) > noticeMs + deadlineMs + 1_000, name);
    }
  });

  await t.test("what a pod may reach is listed, and it is what its settings name", () => {
    const egress = (name: string) => portsOf(managed!, podNamed(managed!, name));
    assert.deepEqual(egress("faceline-ingress"), [53, 53, 9096, 6380, 6380, 443, 587]);
    assert.deepEqual(egress("faceline-default-batcher"), [53, 53, 9096, 6380, 443]);
    assert.deepEqual(egress("faceline-default-inference"), [53, 53, 9096, 6380, 443]);
    assert.deepEqual(egress("faceline-default-set-up"), [53, 53, 9096, 6380]);
    assert.deepEqual(portsOf(gpu!, podNamed(gpu!, "faceline-redis-volatile")), []);
    for (const [file, manifests] of rendered) {
      for (const pod of podsOf(manifests)) assert.ok(policyOf(manifests, pod), `${file}: ${pod.name}`);
    }
  });

  await t.test("pools are apart, and the ingress has their names", () => {
    const workers = podNamed(gpu!, "faceline-gpu-inference");
    const { POOL, EXECUTION_PROVIDER, LD_LIBRARY_PATH, BATCH_MAX } = environmentOf(workers);
    assert.deepEqual([POOL, EXECUTION_PROVIDER, BATCH_MAX], ["gpu", "cuda", "64"]);
    assert.equal(LD_LIBRARY_PATH, "/cuda/gpu/1.30.0");
    assert.equal(workers.spec.containers[0]!.resources["limits"]!["nvidia.com/gpu"], 1);
    assert.equal(environmentOf(podNamed(gpu!, "faceline-cpu-inference"))["BATCH_MAX"], undefined);
    assert.equal(environmentOf(podNamed(gpu!, "faceline-ingress"))["POOLS"], "gpu,cpu");
  });

  await t.test("false and 0 of a pool come before what all pools have", async () => {
    const pool = { name: "default", workers: { replicas: 0, autoscaling: { enabled: false } } };
    const manifests = await render(helm, { file: "values-cpu.yaml", set: { pools: [pool] } });
    assert.equal(
      manifests.some(({ kind }) => kind === "ScaledObject"),
      false,
    );
    const workers = manifests.find(
      ({ kind, metadata }) => kind === "Deployment" && metadata.name === "faceline-default-inference",
    );
    assert.equal((workers!["spec"] as { replicas: number }).replicas, 0);
  });

  await t.test("KEDA follows the workers that a pool needs, by labels that scraping adds", () => {
    const found = (kind: string) => gpu!.find((each) => each.kind === kind)!["spec"] as never;
    const { triggers } = found("ScaledObject") as {
      triggers: { type: string; metadata: { query: string } }[];
    };
    assert.deepEqual(
      triggers.map(({ type }) => type),
      ["prometheus"],
    );
    const labels = [...triggers[0]!.metadata.query.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    assert.match(triggers[0]!.metadata.query, /^max\(faceline_workers_needed\{/);
    assert.deepEqual(labels, [
      ["namespace", "faceline"],
      ["service", "faceline-operators"],
      ["pool", "gpu"],
    ]);
    const { podTargetLabels } = found("ServiceMonitor") as { podTargetLabels: string[] };
    assert.ok(podTargetLabels.includes("pool"));
    assert.ok(
      gpu!.some(({ kind, metadata }) => kind === "Service" && metadata.name === "faceline-operators"),
    );
  });

  await t.test("`extra` of each component is in its pods, and selectors stay", async () => {
    const owners = ["ingress", "poolDefaults.batcher", "poolDefaults.workers", "setUp", "redis.volatile"];
    const set = Object.fromEntries(owners.map((owner) => [`${owner}.extra`, extra]));
    const manifests = await render(helm, { file: "values-laptop.yaml", set });
    assert.deepEqual(faultsOf(manifests), []);
    const withExtra = podsOf(manifests).filter((pod) => componentOf(pod) !== "test");
    assert.equal(withExtra.length, owners.length);
    for (const { name, metadata, spec } of withExtra) {
      const container = spec.containers[0]!;
      const { affinity, priorityClassName, serviceAccountName } = spec;
      assert.deepEqual(
        { ...extra, affinity, priorityClassName, serviceAccountName },
        {
          ...extra,
          env: container.env!.slice(-1),
          envFrom: container["envFrom"],
          volumeMounts: container.volumeMounts!.slice(-1),
          volumes: spec.volumes!.slice(-1),
          initContainers: spec.initContainers,
          containers: spec.containers.slice(1),
          podAnnotations: metadata.annotations,
        },
        name,
      );
      assert.deepEqual(
        [metadata.labels["own"], metadata.labels["app.kubernetes.io/name"]],
        ["yes", "faceline"],
      );
    }
  });

  await t.test("models of your own are copied from an image, mounted, or thresholds alone", async () => {
    const mounts = async (set: Record<string, unknown>) => {
      const manifests = await render(helm, { file: "values-laptop.yaml", set });
      assert.deepEqual(faultsOf(manifests), []);
      return podsOf(manifests).flatMap((pod) => {
        const mount = pod.spec.containers[0]!.volumeMounts?.find(({ name }) => name === "models");
        if (mount === undefined) return [];
        const { name: _, ...source } = pod.spec.volumes!.find(({ name }) => name === "models")!;
        const copies = pod.spec.initContainers?.map(({ name }) => name) ?? [];
        return [[componentOf(pod), environmentOf(pod)["MODELS_DIR"], mount.mountPath, source, copies]];
      });
    };
    const persistentVolumeClaim = { claimName: "models" };
    assert.deepEqual(await mounts({ "models.volume": { persistentVolumeClaim } }), [
      ["ingress", "/models", "/models", { persistentVolumeClaim }, []],
      ["inference", "/models", "/models", { persistentVolumeClaim }, []],
    ]);
    const emptyDir = { sizeLimit: "8Gi" };
    assert.deepEqual(await mounts({ "models.image": "own:1" }), [
      ["ingress", "/models", "/models", { emptyDir }, ["models"]],
      ["inference", "/models", "/models", { emptyDir }, ["models"]],
    ]);
    assert.deepEqual(await mounts({ "models.thresholds": "own" }), [
      ["ingress", "/models", "/models/thresholds", { configMap: { name: "own" } }, []],
    ]);
  });

  await t.test("traces have a token from a Secret, and the place of the process in the cluster", () => {
    const env = podNamed(managed!, "faceline-ingress").spec.containers[0]!.env!;
    const of = (name: string) => env.find((each) => each.name === name)!;
    assert.deepEqual(of("OTEL_EXPORTER_OTLP_HEADERS"), {
      name: "OTEL_EXPORTER_OTLP_HEADERS",
      valueFrom: { secretKeyRef: { name: "faceline-traces", key: "otlp-headers" } },
    });
    const attributes = of("OTEL_RESOURCE_ATTRIBUTES").value!.split(",");
    for (const expected of [
      "k8s.deployment.name=faceline-ingress",
      "k8s.pod.name=$(POD_NAME)",
      "deployment.environment.name=production",
    ]) {
      assert.ok(attributes.includes(expected), expected);
    }
    // Kubernetes replaces $(NAME) only with a variable that is listed before.
    const order = env.map(({ name }) => name);
    const named = of("OTEL_RESOURCE_ATTRIBUTES").value!.matchAll(/\$\((\w+)\)/g);
    const before = order.slice(0, order.indexOf("OTEL_RESOURCE_ATTRIBUTES"));
    for (const [, name] of named) assert.ok(before.includes(name!), name);
    assert.equal(new Set(order).size, order.length, "no variable twice");
  });

  await t.test("`helm test` may reach the Service that it asks, where others may not", async () => {
    const peers = [{ ipBlock: { cidr: "10.0.0.0/8" } }];
    const manifests = await render(helm, { file: "values-cpu.yaml", set: { "ingress.peers": peers } });
    const pod = podNamed(manifests, "faceline-test");
    const [, host, port] = /"http:\/\/([\w-]+):(\d+)\/health"/.exec(
      JSON.stringify(pod.spec).replaceAll("\\", ""),
    )!;
    const service = manifests.find(({ kind, metadata }) => kind === "Service" && metadata.name === host);
    const { ports } = service!["spec"] as { ports: { port: number }[] };
    assert.deepEqual(
      ports.map((each) => `${each.port}`),
      [port],
    );
    assert.ok(portsOf(manifests, pod).includes(8080));
    const { ingress } = policyOf(manifests, podNamed(manifests, "faceline-ingress"))!;
    const allowed = ingress[0]!.from!.filter(({ podSelector }) => podSelector !== undefined);
    assert.ok(allowed.some(({ podSelector }) => selects(podSelector!.matchLabels, pod)));
  });
});

const hardenedPod = { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: "RuntimeDefault" } };
const hardened = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** The settings that the process of a pod reads. */
function readBy(service: string): string[] {
  if (service !== "set-up") {
    const schema = `${service[0]!.toUpperCase()}${service.slice(1)}Config`;
    return settingsOf(`${service}/src/config.ts`, schema);
  }
  return [
    ...settingsOf("deploy/launcher/settings.ts", "LauncherConfig"),
    ...settingsOf("runtime/src/kafka.ts", "KafkaConfig"),
    ...settingsOf("runtime/src/redis.ts", "DurableRedisConfig"),
  ];
}

/** Variables of the chart for OTEL_RESOURCE_ATTRIBUTES, of the dynamic linker and of glibc. */
const ofTheSystem = ["POD_NAME", "POD_UID", "NODE_NAME", "LD_LIBRARY_PATH"];
const otelName = /^OTEL_[A-Z_]+$/;

/**
 * The sentence that ends the command, and the values that it is for. tools/tidy/chart.test.ts has those that
 * the schema refuses.
 */
const wrongValues: [RegExp, Record<string, unknown>][] = [
  [/images\.registry: say where/, { "images.registry": "" }],
  [/kafka\.brokers: name at least one/, { "kafka.brokers": [] }],
  [/redis\.durable\.address: name/, { "redis.durable.address": "" }],
  [/redis\.volatile: set deploy, or/, { "redis.volatile.deploy": false }],
  [/redis\.volatile: deploy runs a server/, { "redis.volatile.address": "redis:6379" }],
  [/redis\.volatile\.tls: the server of this chart/, { "redis.volatile.tls": true }],
  [/pools: two pools/, { pools: [{ name: "a" }, { name: "a" }] }],
  [/smtp\.from: mails need/, { "smtp.address": "mail:587" }],
  [/PUBLIC_URL: mails name it/, { "smtp.address": "mail:587", "smtp.from": "a@b.example" }],
  [/ingress\.route\.host: name/, { "ingress.route.enabled": true }],
  [/ingress\.httpRoute\.parentRefs: name/, { "ingress.httpRoute.enabled": true }],
  [/models: set one of/, { "models.image": "a:1", "models.thresholds": "b" }],
  [/telemetry\.endpoint: headers/, { "telemetry.headers": { key: "a" } }],
];

/** Each field of `extra`, with what must not take the place of the chart's own labels. */
const extra = {
  env: [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "own", key: "token" } } }],
  envFrom: [{ configMapRef: { name: "own" } }],
  volumes: [{ name: "own", emptyDir: {} }],
  volumeMounts: [{ name: "own", mountPath: "/own" }],
  initContainers: [{ name: "before", image: "own:1" }],
  containers: [{ name: "beside", image: "own:1" }],
  podAnnotations: { own: "yes" },
  podLabels: { own: "yes", "app.kubernetes.io/name": "other" },
  affinity: { podAntiAffinity: {} },
  priorityClassName: "faces",
  serviceAccountName: "faces",
};
