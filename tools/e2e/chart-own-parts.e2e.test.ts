// Covers what users add to deploy/chart: parts of pods, models, names, traces, autoscalers, `helm test`.
import assert from "node:assert/strict";
import test from "node:test";
import { type Manifest, render } from "./chart/helm.ts";
import { installTools } from "./chart/install.ts";
import { componentOf, environmentOf, podNamed, podsOf, selects } from "./chart/pods.ts";
import { policyOf, portsOf } from "./chart/policies.ts";

test("what users add to the chart", async (t) => {
  const tools = await installTools(t);
  if (tools === undefined) return;
  const { helm, validate } = tools;
  const renderFile = (file: string) => render(helm, { file });
  const [managed, gpu, mesh] = [
    await renderFile("values-managed.yaml"),
    await renderFile("values-gpu.yaml"),
    await renderFile("values-mesh.yaml"),
  ];

  await t.test("`extra` of each component is in its pods, and selectors stay", async () => {
    const owners = ["ingress", "poolDefaults.batcher", "poolDefaults.workers", "setUp", "redis.volatile"];
    const set = Object.fromEntries(owners.map((owner) => [`${owner}.extra`, extra]));
    const manifests = await render(helm, { file: "values-laptop.yaml", set });
    assert.deepEqual((await validate(manifests)).faults, []);
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
      assert.deepEqual((await validate(manifests)).faults, []);
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
    const env = podNamed(managed, "faceline-ingress").spec.containers[0]!.env!;
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

  await t.test("a receiver of traces may have a port and a path", async () => {
    const set = { "telemetry.endpoint": "https://traces.example:4319/v2/otlp" };
    const manifests = await render(helm, { file: "values-laptop.yaml", set });
    const worker = podNamed(manifests, "faceline-default-inference");
    assert.deepEqual(portsOf(manifests, worker), [53, 53, 9092, 6379, 4319]);
  });

  await t.test("the autoscaler of ingresses follows their container, and no fixed number fights it", () => {
    const [hpa] = mesh.filter(({ kind }) => kind === "HorizontalPodAutoscaler");
    const { scaleTargetRef, metrics } = hpa!["spec"] as Autoscaler;
    const target = mesh.find(
      ({ kind, metadata }) => kind === scaleTargetRef.kind && metadata.name === scaleTargetRef.name,
    );
    assert.equal("replicas" in (target!["spec"] as object), false);
    const { container, name } = metrics[0]!.containerResource;
    const pod = podNamed(mesh, scaleTargetRef.name);
    const scaled = pod.spec.containers.find((each) => each.name === container)!;
    assert.ok(scaled.resources["requests"]![name], "a percentage is of a request");
  });

  await t.test("a device that is spare lets a successor start first", async () => {
    const strategyOf = (manifests: Manifest[]) =>
      (
        manifests.find(
          ({ kind, metadata }) => kind === "Deployment" && metadata.name === "faceline-gpu-inference",
        )!["spec"] as { strategy: { rollingUpdate: unknown } }
      ).strategy.rollingUpdate;
    assert.deepEqual(strategyOf(gpu), { maxSurge: 0, maxUnavailable: 1 });
    const spare = { "poolDefaults.workers.gpu.spare": true };
    const changed = await render(helm, { file: "values-gpu.yaml", set: spare });
    assert.deepEqual(strategyOf(changed), { maxSurge: 1, maxUnavailable: 0 });
  });

  await t.test("names follow an override, and a changed checksum of secrets every pod", async () => {
    for (const [set, prefix] of [
      [{ nameOverride: "blue" }, "faceline-blue"],
      [{ fullnameOverride: "faces" }, "faces"],
    ] as const) {
      const manifests = await render(helm, {
        file: "values-cpu.yaml",
        set: { ...set, secretsChecksum: "abc" },
      });
      assert.ok(
        manifests.every(({ metadata: { name } }) => name === prefix || name.startsWith(`${prefix}-`)),
        prefix,
      );
      assert.doesNotMatch(
        JSON.stringify(environmentOf(podNamed(manifests, `${prefix}-ingress`))),
        /faceline-redis/,
      );
      for (const { name, metadata } of podsOf(manifests)) {
        assert.equal(metadata.annotations?.["checksum/secrets"], "abc", name);
      }
    }
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

type Autoscaler = {
  scaleTargetRef: { kind: string; name: string };
  metrics: { containerResource: { name: string; container: string } }[];
};
