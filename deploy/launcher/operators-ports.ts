import { freePorts, type PortSetting } from "./ports.ts";
import { batchersMax, type Counts, ingressMax } from "./settings.ts";

/**
 * The operators' port of each process, by its name. The numbers do not depend on how many processes there
 * are, so that the list of a Prometheus stays as it is: from `first`, 16 of ingresses, then 4 of batchers,
 * then 16 of workers.
 */
export function operatorsPorts(first: number, counts: Counts): Record<string, number> {
  const from = (service: string, count: number, offset: number) =>
    Array.from({ length: count }, (_, i): [string, number] => [`${service}-${i + 1}`, first + offset + i]);
  return Object.fromEntries([
    ...from("ingress", counts.ingress, 0),
    ...from("batcher", counts.batchers, ingressMax),
    ...from("inference", counts.workers, ingressMax + batchersMax),
  ]);
}

/** Returns the ports for the check that nobody else listens there. */
export const operatorsPortSettings = (host: string, ports: Record<string, number>): PortSetting[] =>
  Object.values(ports).map((port) => ({ setting: "OPERATORS_PORT", host, port }));

/** Ports that are free now, by the name of the process, for stacks that run beside others. */
export async function freeOperatorsPorts(counts: Counts): Promise<Record<string, number>> {
  const names = Object.keys(operatorsPorts(1, counts));
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, i) => [name, ports[i]!]));
}
