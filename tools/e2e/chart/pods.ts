import type { Manifest } from "./helm.ts";

/** The pods that Deployments and Jobs would make, by the names of these. */
export function podsOf(manifests: Manifest[]): Pod[] {
  return manifests
    .filter(({ kind }) => kind === "Deployment" || kind === "Job")
    .map(({ metadata, spec }) => {
      const { template } = spec as { template: Omit<Pod, "name"> };
      return { name: metadata.name, ...template };
    });
}

/** The pod of the Deployment or Job of a name. Throws where there is none. */
export function podNamed(manifests: Manifest[], name: string): Pod {
  const found = podsOf(manifests).find((pod) => pod.name === name);
  if (found === undefined) throw new Error(`there is no pod of ${name}`);
  return found;
}

/** Whether a selector that has labels alone selects a pod. */
export const selects = (matchLabels: Labels, { metadata }: Pod): boolean =>
  Object.entries(matchLabels).every(([key, value]) => metadata.labels[key] === value);

export const componentOf = ({ metadata }: Pod): string => metadata.labels["app.kubernetes.io/component"]!;

type Labels = Record<string, string>;

export type Pod = {
  name: string;
  metadata: { labels: Labels };
  spec: {
    containers: Container[];
    volumes: Volume[];
    securityContext: Record<string, unknown>;
    automountServiceAccountToken: boolean;
    enableServiceLinks: boolean;
    terminationGracePeriodSeconds?: number;
    [key: string]: unknown;
  };
};

type Container = {
  env?: { name: string; value: string }[];
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string }[];
  resources: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
};

type Volume = {
  name: string;
  projected?: { sources: { secret: { name: string; items: { key: string; path: string }[] } }[] };
  [key: string]: unknown;
};
