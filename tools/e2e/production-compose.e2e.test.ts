// Covers deploy/compose/compose.production.yaml, certificates.sh and production-files.ts; three-brokers
// covers the loss of a broker.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { capture } from "@faceline/deploy/launcher/capture";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { Compose, findPodmanCompose } from "./containers/compose.ts";
import { openEngine, withoutContainers } from "./stand-ins/images.ts";
import { apiClient, readBase64 } from "./stack/api-client.ts";

const files = ["compose.yaml", "compose.production.yaml"];
test("three brokers, TLS to all servers and a replica of the durable Redis", {
  skip: withoutContainers(),
}, async (t) => {
  const steps = new Steps();
  const python = await findPodmanCompose(steps, t.signal);
  const { engine } = await openEngine(steps);
  const folder = mkdtempSync(join(process.env["FACELINE_TEST_RUN"]!, "production-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [port] = await freePorts(1);
  const compose = new Compose({ engine, python, folder, port: port!, files });
  t.after(() => compose.remove());
  await compose.remove();
  const script = join(repository, "deploy", "compose", "certificates.sh");
  await steps.run("certificates", () => capture("sh", [script, join(folder, "secrets")]));
  await steps.run("compose", () => compose.start());
  const post = apiClient(compose.address, compose.readSecret("first-api-key"));
  const [img1, img2] = ["dia-1.jpg", "dia-2.jpg"].map((name) =>
    readBase64(join(repository, "web", "src", "samples", name)),
  );
  const { status } = await post("/verify", { img1, img2 });
  assert.equal(status, 200, await compose.logs());
  const containers = await compose.containers();
  const idOf = (name: string) => containers.find(({ service }) => service === name)!.id;

  await t.test("the replica of the durable Redis has synchronised", async () => {
    assert.match(await engine.podman("logs", idOf("redis-durable-replica")), /sync: Finished with success/);
  });

  await t.test("no server accepts a connection without TLS", async () => {
    for (const name of ["redis-volatile", "redis-durable"]) {
      const ping = ["redis-cli", "-h", "127.0.0.1", "ping"];
      assert.doesNotMatch(await engine.podman("exec", idOf(name), ...ping).catch(String), /NOAUTH|PONG/);
    }
  });
});
