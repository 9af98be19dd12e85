// Covers deploy/chart as Helm renders it, and its objects by the schemas of Kubernetes, the Gateway API, KEDA
// and Prometheus' operator.
import assert from "node:assert/strict";
import test from "node:test";
import { settingsOf } from "@faceline/tidy/service-settings";
import { lint, type Manifest, render, valuesFiles } from "./chart/helm.ts";
import { installTools } from "./chart/install.ts";
import { componentOf, environmentOf, podNamed, podsOf } from "./chart/pods.ts";
import { policyOf, portsOf } from "./chart/policies.ts";
import { mistakes, wrongValues } from "./chart/wrong-values.ts";

test("the Helm chart", async (t) => {
  const tools = await installTools(t);
  if (tools === undefined) return;
  const { helm, validate } = tools;
  const rendered = new Map<string, Manifest[]>();
  for (const file of valuesFiles) rendered.set(file, await render(helm, { file }));
  const pods = [...rendered.values()].flatMap(podsOf);
  const [managed, gpu, mesh] = ["managed", "gpu", "mesh"].map((name) => rendered.get(`values-${name}.yaml`)!);

  for (const [file, manifests] of rendered) {
    await t.test(`${file} passes the linter, and its objects have the fields of their kinds`, async () => {
      await lint(helm, { file });
      assert.deepEqual(await validate(manifests), { valid: manifests.length, faults: [] });
    });
  }

  for (const [name, path, value, fault] of mistakes) {
    await t.test(`a planted mistake is found: ${name}`, async () => {
      const planted = structuredClone([...rendered.get("values-cpu.yaml")!, ...mesh!]);
      const [kind, ...fields] = path.split(".");
      set(planted.find((each) => each.kind === kind)!, fields, value);
      const { faults } = await validate(planted);
      assert.equal(faults.length, 1);
      assert.match(faults[0]!, fault);
    });
  }

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

function set(target: unknown, [field = "", ...rest]: string[], value: unknown): void {
  const holder = target as Record<string, unknown>;
  if (rest.length === 0) holder[field] = value;
  else set(holder[field], rest, value);
}

/** Variables of the chart for OTEL_RESOURCE_ATTRIBUTES, of the dynamic linker and of glibc. */
const ofTheSystem = ["POD_NAME", "POD_UID", "NODE_NAME", "LD_LIBRARY_PATH"];
const otelName = /^OTEL_[A-Z_]+$/;
