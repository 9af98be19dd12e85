import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readLaunch } from "../launcher/settings.ts";
import { Steps } from "../launcher/steps.ts";
import { openTestServers } from "../launcher/test-servers.ts";
import { portraits } from "./faces.ts";
import { stack } from "./stack.ts";

// node egress-run.ts FOLDER, in a network and a mount namespace of its own (`unshare --net --mount`), as root of these.
//
// Runs servers and services where there is no network but loopback, has them verify two faces, and writes to
// FOLDER/egress.json what they looked up and tried to reach.

/** onnxruntime's uploader looks for its server 8 to 9 s after the first session, and every few seconds from then. */
const watchMs = 12_000;

const [folder = ""] = process.argv.slice(2);
bringUpLoopback();
await using names = await openNameServer(join(folder, "resolv.conf"));
const stop = new AbortController().signal;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

await using opened = new AsyncDisposableStack();
const launch = readLaunch([], process.env);
const steps = Steps.sinceCommand(say);
const servers = opened.use(await openTestServers({ launch, steps, say, stop, force: stop }));
const after = (done: () => Promise<void>) => opened.defer(done);
// As a test run has it.
Object.assign(process.env, servers.environment);
const { post } = await stack({ after });
const [img1, img2] = (await portraits()).map((picture) => picture.toString("base64"));
const { status } = await post("/verify", { img1, img2 });
await sleep(watchMs);
const observed = { status, ...egress() };

// What an attempt looks like.
await lookup("faceline.example").catch(() => {});
const withIpv6 = networkInterfaces()["lo"]?.some(({ family }) => family === "IPv6");
const addresses = ["192.0.2.1", ...(withIpv6 ? ["2001:db8::1"] : [])];
for (const address of addresses) await once(connect(443, address), "connect").catch(() => {});
const control = { ...egress(), tried: addresses.length };
writeFileSync(join(folder, "egress.json"), JSON.stringify({ observed, control } satisfies EgressReport));

function egress(): Egress {
  return { names: [...names.asked].toSorted(), unroutable: unroutable() };
}

function bringUpLoopback(): void {
  const { status, stderr } = spawnSync("ip", ["link", "set", "lo", "up"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`loopback could not be brought up: ${stderr}`);
}

/** How many packets, and connections, this network namespace had no route for. */
function unroutable(): number {
  const [header = "", values = ""] = readFileSync("/proc/net/snmp", "utf8").split("\n");
  const v4 = values.split(" ")[header.split(" ").indexOf("OutNoRoutes")];
  const [, v6] = /^Ip6OutNoRoutes\s+(\d+)$/m.exec(readFileSync("/proc/net/snmp6", "utf8")) ?? [];
  return Number(v4) + Number(v6 ?? 0);
}

/** A name server on loopback that knows no name, and keeps those that it was asked for. The namespace asks no other. */
async function openNameServer(resolvConf: string): Promise<AsyncDisposable & { asked: Set<string> }> {
  writeFileSync(resolvConf, "nameserver 127.0.0.1\nsearch .\n");
  const { status, stderr } = spawnSync("mount", ["--bind", resolvConf, "/etc/resolv.conf"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`/etc/resolv.conf could not be replaced: ${stderr}`);
  const asked = new Set<string>();
  const socket = createSocket("udp4");
  socket.on("message", (question, { port, address }) => {
    asked.add(nameIn(question));
    const reply = Buffer.from(question);
    // RFC 1035, 4.1.1: a response, recursion available, NXDOMAIN.
    reply.writeUInt16BE(0x8183, 2);
    socket.send(reply, port, address);
  });
  socket.bind(53, "127.0.0.1");
  await once(socket, "listening");
  return { asked, [Symbol.asyncDispose]: async () => void socket.close() };
}

/** RFC 1035, 4.1.2: labels, each after its length, from byte 12; the last is empty. */
function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question[at]; at += 1 + question[at]!) {
    labels.push(question.toString("latin1", at + 1, at + 1 + question[at]!));
  }
  return labels.join(".");
}

/** `unroutable`: packets and connections to anywhere but loopback. */
export type Egress = { names: string[]; unroutable: number };

/** `control`: after the run itself has looked up faceline.example, and tried to connect to as many addresses. */
export type EgressReport = { observed: Egress & { status: number }; control: Egress & { tried: number } };
