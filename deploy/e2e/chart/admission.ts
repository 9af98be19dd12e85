import { waitUntil } from "../../testing/wait-until.ts";
import type { ApiServer } from "./api-server.ts";
import type { Definition } from "./definitions.ts";
import type { Manifest } from "./helm.ts";
import type { Pod } from "./pods.ts";

// Covered by ../chart-admission.e2e.test.ts.

/**
 * Creates the namespace with `restricted` pod security and the kinds of these definitions. Returns what sends
 * objects to the server, which decides on them as in earnest and stores nothing.
 */
export async function openAdmission(
  server: ApiServer,
  namespace: string,
  definitions: Definition[],
): Promise<Admission> {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const warn = { "pod-security.kubernetes.io/warn": "restricted" };
  await create(server, "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, labels: { ...labels, ...warn } },
  });
  for (const definition of definitions) {
    await create(server, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  }
  const paths = new Map<string, string>();
  const pathOf = async ({ apiVersion, kind }: Pick<Manifest, "apiVersion" | "kind">): Promise<string> => {
    const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    if (!paths.has(`${group} ${kind}`)) {
      const { body } = await server.call("GET", group);
      for (const { kind, name } of (body as ResourceList).resources ?? []) {
        // Others are parts of objects: `deployments/scale`.
        if (!name.includes("/")) paths.set(`${group} ${kind}`, `${group}/namespaces/${namespace}/${name}`);
      }
    }
    const path = paths.get(`${group} ${kind}`);
    if (path === undefined) throw new Error(`the server has no ${kind} of ${apiVersion}`);
    return path;
  };
  for (const { spec } of definitions) {
    for (const { name: version } of spec.versions) {
      await waitUntil(`the server has the kind ${spec.names.kind}`, () =>
        pathOf({ apiVersion: `${spec.group}/${version}`, kind: spec.names.kind }).then(
          () => true,
          () => false,
        ),
      );
    }
  }
  const admit = async (object: Manifest): Promise<Verdict> => {
    const path = `${await pathOf(object)}?dryRun=All&fieldValidation=Strict`;
    const { status, body, warning } = await server.call("POST", path, object);
    return { refused: status === 201 ? "" : (body as { message: string }).message, warning };
  };
  return {
    admit,
    admitPod: ({ name, metadata, spec }) =>
      admit({ apiVersion: "v1", kind: "Pod", metadata: { ...metadata, name }, spec }),
  };
}

async function create(server: ApiServer, path: string, object: unknown): Promise<void> {
  const { status, body } = await server.call("POST", path, object);
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
}

type ResourceList = { resources?: { kind: string; name: string }[] };

/** Why the server refuses an object, and what it warns of; empty where it does not. */
type Verdict = { refused: string; warning: string };

type Admission = {
  admit(object: Manifest): Promise<Verdict>;
  /** A pod as a Deployment or Job would create it: the security of pods is enforced on these alone. */
  admitPod(pod: Pod): Promise<Verdict>;
};
