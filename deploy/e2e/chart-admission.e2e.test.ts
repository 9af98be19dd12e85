// Covers deploy/chart: its objects are sent to a real API server of Kubernetes, into a namespace with
// `restricted` pod security.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { openAdmission } from "./chart/admission.ts";
import { findEtcd, startApiServer } from "./chart/api-server.ts";
import { readDefinitions } from "./chart/definitions.ts";
import { buildApiServer, installProgram, toolsFolder } from "./chart/go-tools.ts";
import { type Manifest, render, valuesFiles } from "./chart/helm.ts";
import { type Pod, podNamed, podsOf } from "./chart/pods.ts";

const namespace = "faceline";

test("the chart before a real API server", async (t) => {
  const tools = await installTools(t);
  if (tools === undefined) return;
  const { helm, definitions, ...programs } = tools;
  await using server = await startApiServer({ ...programs, stop: t.signal });
  const { admit, admitPod } = await openAdmission(server, namespace, definitions);
  // The class of GPU nodes, which the operator of a cluster makes: without it the server refuses their pods.
  const runtimeClass = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", handler: "nvidia" };
  const classes = "/apis/node.k8s.io/v1/runtimeclasses";
  const made = await server.call("POST", classes, { ...runtimeClass, metadata: { name: "nvidia" } });
  assert.equal(made.status, 201);
  const version = (await server.call("GET", "/version")).body as { gitVersion: string };
  t.diagnostic(`kube-apiserver ${version.gitVersion}`);

  for (const file of valuesFiles) {
    await t.test(`${file}: every object and every pod is admitted without a warning`, async () => {
      const manifests = await render(helm, { file });
      for (const object of manifests) {
        assert.deepEqual(await admit(object), admitted, `${object.kind} ${object.metadata.name}`);
      }
      const pods = podsOf(manifests);
      assert.ok(pods.length >= 4);
      for (const pod of pods) assert.deepEqual(await admitPod(pod), admitted, pod.name);
    });
  }

  const manifests = await render(helm, { file: "values-cpu.yaml" });
  for (const [mistake, change, reason] of mistakesOfPods) {
    await t.test(`a pod is refused that has ${mistake}`, async () => {
      const pod = structuredClone(podNamed(manifests, "faceline-ingress"));
      change(pod);
      const { refused } = await admitPod(pod);
      assert.match(refused, reason);
      assert.match(refused, /violates PodSecurity "restricted:/);
    });
  }

  await t.test("a Deployment with such a pod is admitted with a warning, so pods are sent too", async () => {
    const deployment = structuredClone(deploymentOf(manifests));
    deployment.spec.template.spec.securityContext["runAsUser"] = 0;
    const { refused, warning } = await admit(deployment);
    assert.equal(refused, "");
    assert.match(warning, /would violate PodSecurity .*restricted.*runAsUser=0/);
  });

  for (const [mistake, change, reason] of mistakesOfDeployments) {
    await t.test(`a Deployment is refused that has ${mistake}`, async () => {
      const deployment = structuredClone(deploymentOf(manifests));
      change(deployment);
      assert.match((await admit(deployment)).refused, reason);
    });
  }
});

const admitted = { refused: "", warning: "" };

const mistakesOfPods: [string, (pod: Pod) => void, RegExp][] = [
  ["the user root", ({ spec }) => void (spec.securityContext["runAsUser"] = 0), /runAsUser=0/],
  ["no seccomp profile", ({ spec }) => void delete spec.securityContext["seccompProfile"], /seccompProfile/],
  [
    "a folder of the node",
    ({ spec }) => void spec.volumes.push({ name: "node", hostPath: { path: "/" } }),
    /uses restricted volume type "hostPath"/,
  ],
  [
    "a privileged container",
    (pod) => changeContainer(pod, { privileged: true, allowPrivilegeEscalation: true }),
    /privileged/,
  ],
  [
    "one more capability",
    (pod) => changeContainer(pod, { capabilities: { add: ["NET_ADMIN"] } }),
    /NET_ADMIN/,
  ],
  ["the network of the node", ({ spec }) => void (spec["hostNetwork"] = true), /host namespaces/],
];

/** Of these kubeconform finds only the second. */
const mistakesOfDeployments: [string, (deployment: Deployment) => void, RegExp][] = [
  [
    "a selector for other pods",
    ({ spec }) => void (spec.template.metadata.labels["app.kubernetes.io/component"] = "another"),
    /`selector` does not match template `labels`/,
  ],
  ["a misspelt field", ({ spec }) => void (spec["replica"] = 2), /unknown field "spec\.replica"/],
  [
    "a mount of a volume that is not there",
    ({ spec }) =>
      void spec.template.spec.containers[0]!.volumeMounts.push({ name: "gone", mountPath: "/gone" }),
    /volumeMounts\[\d+\]\.name: Not found: "gone"/,
  ],
];

const changeContainer = ({ spec }: Pod, change: Record<string, unknown>): void =>
  void Object.assign(spec.containers[0]!.securityContext, change);

const deploymentOf = (manifests: Manifest[]): Deployment =>
  manifests.find(({ kind }) => kind === "Deployment") as Deployment;

/** Skips the test where the tools cannot be had. */
async function installTools(t: TestContext) {
  try {
    return {
      helm: await installProgram("helm", toolsFolder, t.signal),
      definitions: await readDefinitions(toolsFolder, t.signal),
      etcd: await findEtcd(toolsFolder, t.signal),
      apiServer: await buildApiServer(toolsFolder, t.signal),
    };
  } catch (fault) {
    t.skip(`NOT TESTED: ${(fault as Error).message.split("\n")[0]}`);
    return undefined;
  }
}

type Deployment = Manifest & { spec: { template: Omit<Pod, "name">; [key: string]: unknown } };
