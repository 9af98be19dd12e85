// Covers the image `standalone`, which runs all that `npm start` runs in one container.
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "node:test";
import { freePorts } from "@faceline/deploy/launcher/ports";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { Steps } from "@faceline/deploy/launcher/steps";
import { openEngine, withoutContainers } from "./stand-ins/images.ts";
import { apiClient, readBase64 } from "./stack/api-client.ts";

const name = "faceline-standalone-test";

test("Faceline in one container", { skip: withoutContainers() }, async (t) => {
  const { engine } = await openEngine(new Steps(), ["standalone"]);
  const remove = () => engine.podman("rm", "--force", "--time", "0", "--volumes", name);
  t.after(remove);
  // What a run that was killed has left.
  await remove().catch(() => "");
  const [port] = await freePorts(1);
  // As in Docker, whose /tmp is read-only then; that of podman is not.
  const tmp = ["--read-only-tmpfs=false", "--tmpfs", "/tmp"];
  const limits = ["--read-only", ...tmp, "--cap-drop", "all", "--security-opt", "no-new-privileges"];
  const image = "localhost/faceline/standalone";
  // podman's own limits may be above this machine's, and its health checks need systemd.
  const here = [
    "--ulimit",
    "nofile=20000",
    "--ulimit",
    "nproc=4096",
    "--no-healthcheck",
    "--publish",
    `127.0.0.1:${port}:8080`,
  ];
  await engine.podman("run", "--detach", "--name", name, ...limits, ...here, image);
  const welcome = await printed(/^Faceline is ready after .*$[^]*^Ctrl-C/m);
  const address = `http://127.0.0.1:${port}`;
  const key = /^ {2}key {6}(\S+)/m.exec(welcome)![1]!;
  t.diagnostic(/^Faceline is ready.*$/m.exec(welcome)![0]);
  t.diagnostic(await engine.podman("image", "inspect", "--format", "{{.Size}} bytes", image));

  await t.test("two images of a person are verified, and its page is served", async () => {
    const [img1, img2] = ["dia-1.jpg", "dia-2.jpg"].map((file) => readBase64(join(samples, file)));
    const { status, body } = await apiClient(address, key)("/verify", { img1, img2 });
    assert.equal(status, 200);
    assert.equal((body as { verified: boolean }).verified, true);
    assert.match(await (await fetch(address)).text(), /<title>/);
  });

  await t.test("it fetched nothing, and wrote to its volume alone", async () => {
    assert.doesNotMatch(welcome, /fetched/);
    const changes = (await engine.podman("diff", name)).split("\n").filter((line) => /^[ACD] /.test(line));
    assert.deepEqual(
      changes.filter((line) => !/^. \/(data|tmp|run|etc|proc|sys|dev)\b/.test(line)),
      [],
    );
  });

  await t.test("an operator's commands run in it", async () => {
    const list = await engine.podman("exec", name, "node", "deploy/commands/keys.ts", "list");
    assert.match(list, /dev .* active/);
  });

  await t.test("stopped and started again, it has the same key", async () => {
    await engine.podman("stop", "--time", "60", name);
    assert.equal((await engine.podman("inspect", "--format", "{{.State.ExitCode}}", name)).trim(), "0");
    await engine.podman("start", name);
    await printed(/^Faceline is ready[^]*^Faceline is ready/m);
    const { status } = await apiClient(address, key)("/verify", {});
    assert.equal(status, 400);
  });

  /** The container's output, once it has what is waited for. Throws when the container has ended. */
  async function printed(wanted: RegExp): Promise<string> {
    for (;;) {
      const output = await engine.podman("logs", name);
      if (wanted.test(output)) return output;
      const state = await engine.podman("inspect", "--format", "{{.State.Status}}", name);
      assert.notEqual(state.trim(), "exited", output);
      await sleep(500);
    }
  }
});

const samples = join(repository, "web", "src", "samples");
