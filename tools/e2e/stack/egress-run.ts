import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readLaunchOptions } from "@faceline/deploy/launcher/settings";
import { commandOutput } from "@faceline/runtime/command-output";
import { Steps } from "@faceline/deploy/launcher/steps";
import { portraits } from "@faceline/testing/faces";
import { openTestServers } from "@faceline/testing/test-servers";
import { startStack } from "./stack.ts";

// node egress-run.ts FOLDER, as root of its own network and mount namespaces (`unshare --net --mount`).
//
// Runs servers and services without any network but loopback, verifies two faces, and writes to
// FOLDER/egress.json which names they looked up and how many packets had no route. Started by
// egress.stack.test.ts.

/**
 * onnxruntime's telemetry looks up its server 8 to 9 s after the first session, and then every few seconds.
 */
const watchMs = 12_000;

const [folder = ""] = process.argv.slice(2);
bringUpLoopback();
await using nameServer = await openNameServer(join(folder, "resolv.conf"));
const stop = new AbortController().signal;
const { print } = commandOutput;

await using opened = new AsyncDisposableStack();
const launch = readLaunchOptions([], process.env);
const steps = Steps.sinceCommandStart();
const servers = opened.use(await openTestServers({ launch, steps, print, stop, force: stop }));
const after = (done: () => Promise<void>) => opened.defer(done);
// As in a test run.
Object.assign(process.env, servers.environment);
const { post } = await startStack({ after });
const [img1, img2] = (await portraits()).map((image) => image.toString("base64"));
const { status } = await post("/verify", { img1, img2 });
await sleep(watchMs);
const observed = { status, ...egress() };

// The control: one lookup, and connections to addresses for documentation (RFC 5737, RFC 3849). All of them
// fail.
await Promise.allSettled([lookup("faceline.example")]);
const withIpv6 = networkInterfaces()["lo"]?.some(({ family }) => family === "IPv6");
const addresses = ["192.0.2.1", ...(withIpv6 ? ["2001:db8::1"] : [])];
for (const address of addresses) await Promise.allSettled([once(connect(443, address), "connect")]);
const control = { ...egress(), tried: addresses.length };
writeFileSync(join(folder, "egress.json"), JSON.stringify({ observed, control } satisfies EgressReport));

function egress(): Egress {
  return { names: [...nameServer.names].toSorted(), unroutable: unroutablePackets() };
}

function bringUpLoopback(): void {
  const { status, stderr } = spawnSync("ip", ["link", "set", "lo", "up"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`loopback could not be brought up: ${stderr}`);
}

/** How many packets and connections of this network namespace had no route. */
function unroutablePackets(): number {
  const [header = "", values = ""] = readFileSync("/proc/net/snmp", "utf8").split("\n");
  const v4 = values.split(" ")[header.split(" ").indexOf("OutNoRoutes")];
  const [, v6] = /^Ip6OutNoRoutes\s+(\d+)$/m.exec(readFileSync("/proc/net/snmp6", "utf8")) ?? [];
  return Number(v4) + Number(v6 ?? 0);
}

/**
 * The only name server of the namespace, on loopback. It answers NXDOMAIN and records the names of the
 * queries.
 */
async function openNameServer(resolvConf: string): Promise<AsyncDisposable & { names: Set<string> }> {
  writeFileSync(resolvConf, "nameserver 127.0.0.1\nsearch .\n");
  const { status, stderr } = spawnSync("mount", ["--bind", resolvConf, "/etc/resolv.conf"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`/etc/resolv.conf could not be replaced: ${stderr}`);
  const names = new Set<string>();
  const socket = createSocket("udp4");
  socket.on("message", (question, { port, address }) => {
    names.add(questionName(question));
    const response = Buffer.from(question);
    // RFC 1035, 4.1.1: a response, recursion available, NXDOMAIN.
    response.writeUInt16BE(0x8183, 2);
    socket.send(response, port, address);
  });
  socket.bind(53, "127.0.0.1");
  await once(socket, "listening");
  return { names, [Symbol.asyncDispose]: async () => void socket.close() };
}

/**
 * The name in a query (RFC 1035, 4.1.2): from byte 12, each label follows its length; the last label is
 * empty.
 */
function questionName(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question[at]; at += 1 + question[at]!) {
    labels.push(question.toString("latin1", at + 1, at + 1 + question[at]!));
  }
  return labels.join(".");
}

/** `unroutable`: how many packets and connections had a destination other than loopback. */
type Egress = { names: string[]; unroutable: number };

/** `control`: after the run itself looked up faceline.example and tried to connect to `tried` addresses. */
export type EgressReport = { observed: Egress & { status: number }; control: Egress & { tried: number } };
