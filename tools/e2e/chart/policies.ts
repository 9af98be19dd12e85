import type { Manifest } from "./helm.ts";
import { type Pod, selects } from "./pods.ts";

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

type Policy = {
  podSelector: { matchLabels: Record<string, string> };
  policyTypes: string[];
  ingress: { from?: { podSelector?: { matchLabels: Record<string, string> } }[] }[];
  egress: { ports: { port: number }[] }[];
};
