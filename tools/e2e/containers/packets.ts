import { capture } from "@faceline/deploy/launcher/capture";

/**
 * Counts the packets that a process' network namespace sends to other places than its own networks. Loopback
 * does not count, nor broadcasts to neighbours. Packets to such places are dropped.
 */
export async function countForeignPackets(pid: number): Promise<() => Promise<number>> {
  const iptables = (...args: string[]) => inNetwork(pid, "iptables", "-w", ...args);
  await iptables("-N", chain);
  for (const network of await ownNetworks(pid)) await iptables("-A", chain, "-d", network, "-j", "RETURN");
  await iptables("-A", chain, "-j", "DROP");
  await iptables("-I", "OUTPUT", "-j", chain);
  return async () => {
    const rules = (await iptables("-L", chain, "-v", "-x", "-n")).trim().split("\n");
    return Number(rules.at(-1)!.trim().split(/\s+/)[0]);
  };
}

/** Runs a program of this machine in the network namespace of a process. */
export const inNetwork = (pid: number, command: string, ...args: string[]): Promise<string> =>
  capture("nsenter", ["--target", `${pid}`, "--net", command, ...args]);

/** `127.0.0.1/8`, `10.89.0.5/24`. */
async function ownNetworks(pid: number): Promise<string[]> {
  const lines = (await inNetwork(pid, "ip", "-oneline", "-4", "address")).trim().split("\n");
  return lines.map((line) => / inet (\S+)/.exec(line)![1]!);
}

const chain = "faceline-foreign";
