import type { Manifest } from "../stand-ins/chart-schemas.ts";

/** The pods that Deployments and Jobs would make, by the names of these, and that of `helm test`. */
export function podsOf(manifests: Manifest[]): Pod[] {
  return manifests
    .filter(({ kind }) => ["Deployment", "Job", "Pod"].includes(kind))
    .map((manifest) => {
      const { template } = manifest["spec"] as { template?: Omit<Pod, "name"> };
      return { name: manifest.metadata.name, ...(template ?? (manifest as unknown as Omit<Pod, "name">)) };
    });
}

/** The pod of the Deployment or Job of a name. Throws if there is none. */
export function podNamed(manifests: Manifest[], name: string): Pod {
  const found = podsOf(manifests).find((pod) => pod.name === name);
  if (found === undefined) throw new Error(`there is no pod of ${name}`);
  return found;
}

/** Whether a selector that has labels alone selects a pod. */
export const selects = (matchLabels: Labels, { metadata }: Pod): boolean =>
  Object.entries(matchLabels).every(([key, value]) => metadata.labels[key] === value);

export const componentOf = ({ metadata }: Pod): string => metadata.labels["app.kubernetes.io/component"]!;

/** The variables of the containers of a pod. One that Kubernetes reads elsewhere is empty. */
export const environmentOf = ({ spec }: Pod): Record<string, string> =>
  Object.fromEntries(
    spec.containers.flatMap(({ env = [] }) => env.map(({ name, value }) => [name, value ?? ""])),
  );

/** The policy that rules what a pod sends. */
export const policyOf = (manifests: Manifest[], pod: Pod): Policy | undefined =>
  manifests
    .filter(({ kind }) => kind === "NetworkPolicy")
    .map(({ spec }) => spec as Policy)
    .find(
      ({ podSelector, policyTypes }) =>
        policyTypes.includes("Egress") && selects(podSelector.matchLabels, pod),
    );

export const portsOf = (manifests: Manifest[], pod: Pod): number[] =>
  policyOf(manifests, pod)!.egress.flatMap(({ ports }) => ports.map(({ port }) => port));

type Labels = Record<string, string>;

type Pod = {
  name: string;
  metadata: { labels: Labels; annotations?: Record<string, string> };
  spec: {
    initContainers?: Container[];
    containers: Container[];
    volumes?: Volume[];
    securityContext: Record<string, unknown>;
    automountServiceAccountToken: boolean;
    enableServiceLinks: boolean;
    terminationGracePeriodSeconds?: number;
    [key: string]: unknown;
  };
};

type Container = {
  name: string;
  env?: { name: string; value?: string; valueFrom?: Record<string, unknown> }[];
  securityContext: Record<string, unknown>;
  volumeMounts?: { name: string; mountPath: string }[];
  resources: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
};

type Volume = {
  name: string;
  projected?: { sources: { secret: { name: string; items: { key: string; path: string }[] } }[] };
  [key: string]: unknown;
};

type Policy = {
  podSelector: { matchLabels: Record<string, string> };
  policyTypes: string[];
  ingress: { from?: { podSelector?: { matchLabels: Record<string, string> } }[] }[];
  egress: { ports: { port: number }[] }[];
};
