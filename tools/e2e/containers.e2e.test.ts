// Covers deploy/compose/compose.yaml and the images that it runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { waitUntil } from "@faceline/deploy/testing/wait-until";
import { Compose, type Container, findPodmanCompose } from "./containers/compose.ts";
import { openEngine, withoutContainers } from "./stand-ins/images.ts";
import { countForeignPackets, inNetwork } from "./containers/packets.ts";
import { apiClient, readBase64 } from "./stack/api-client.ts";

const services = ["batcher", "inference", "ingress", "kafka", "redis-durable", "redis-volatile"];
/** onnxruntime's telemetry, if it were on, would look up its server 8 to 9 s after the first session. */
const watchMs = 12_000;

test("Faceline in containers", { skip: withoutContainers() }, async (t) => {
  const steps = new Steps();
  const python = await findPodmanCompose(steps, t.signal);
  const { engine, folder } = await openEngine(steps);
  const [port] = await freePorts(1);
  const compose = new Compose({ engine, python, folder, port: port!, files: ["compose.yaml"] });
  t.after(() => compose.remove());
  // What a run that was killed has left.
  await compose.remove();
  const progress = await steps.run("compose", () => compose.start());
  const containers = await compose.containers();
  const packets = await Promise.all(containers.map(({ pid }) => countForeignPackets(pid)));
  const startedAt = performance.now();

  await t.test("all services run, and two images of a person are verified", async () => {
    assert.deepEqual(containers.map(({ service }) => service).toSorted(), services);
    const [img1, img2] = ["dia-1.jpg", "dia-2.jpg"].map((name) => readBase64(join(samples, name)));
    const post = apiClient(compose.address, compose.readSecret("first-api-key"));
    const response = await post("/verify", { img1, img2 });
    assert.equal(response.status, 200);
    assert.equal((response.body as { verified: boolean }).verified, true);
  });

  await t.test("the start has said what it waits for, and the address", async () => {
    assert.match(progress, /^waiting for [^]*^Faceline is ready: http:\/\/127\.0\.0\.1:\d+\/ .*\n$/m);
  });

  await t.test("a call without a key is refused", async () => {
    const post = apiClient(compose.address, "fl_none");
    assert.equal((await post("/verify", {})).status, 401);
  });

  for (const container of containers) {
    await t.test(`${container.service}: read-only, without rights, and writes nothing`, async () => {
      assert.equal(container.readOnly, true);
      assert.deepEqual(rightsOf(container), { root: false, capabilities: 0, newPrivileges: false, core: 0 });
      assert.deepEqual(await compose.changedFiles(container), []);
    });
  }

  await t.test("the services are healthy by the check of their images", async () => {
    const own = containers.filter(({ service }) => ["batcher", "inference", "ingress"].includes(service));
    const check = ["/usr/local/bin/node", "deploy/images/healthcheck.ts"];
    for (const { id } of own) await engine.podman("exec", id, ...check);
  });

  await t.test("only the API is published", async () => {
    const published = await engine.podman("ps", "--format", "{{.Ports}}");
    assert.deepEqual(
      published.split("\n").filter((line) => line !== ""),
      [`127.0.0.1:${port}->8080/tcp`],
    );
  });

  await t.test("nothing is sent to anywhere else", async () => {
    await waitUntil("telemetry would have been sent", () => performance.now() - startedAt > watchMs);
    const counts = await Promise.all(packets.map((count) => count()));
    assert.deepEqual(
      counts,
      containers.map(() => 0),
    );
    const ingress = containers.findIndex(({ service }) => service === "ingress");
    // The control: an address for documentation (RFC 5737). The packet is dropped.
    const attempt = `require("node:dgram").createSocket("udp4").send("x", 9, "192.0.2.1", () => process.exit())`;
    await inNetwork(containers[ingress]!.pid, process.execPath, "--eval", attempt);
    assert.equal(await packets[ingress]!(), 1, "an attempt is seen");
  });

  // Last, because it is another process then. Redis 7 once dropped at its start what this server had kept.
  await t.test("keys are kept when the durable Redis is restarted", async () => {
    await compose.restart(containers.find(({ service }) => service === "redis-durable")!);
    const list = ["--profile", "tools", "run", "--rm", "-T", "keys", "list"];
    await waitUntil("the first key is there", async () =>
      /first .* active/.test(await compose.run(...list).catch(String)),
    );
  });
});

const samples = join(repository, "web", "src", "samples");

/** The rights of a container's first process, as Linux states them. */
function rightsOf({ pid }: Container) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(status)![1]!;
  const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
  const [, core] = /^Max core file size\s+(\S+)/m.exec(limits)!;
  return {
    root: field("Uid") === "0",
    capabilities: Number.parseInt(field("CapEff"), 16) + Number.parseInt(field("CapBnd"), 16),
    newPrivileges: field("NoNewPrivs") !== "1",
    core: Number(core),
  };
}
