import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { runInForeground } from "@faceline/deploy/launcher/foreground";
import type { EgressReport } from "./stack/egress-run.ts";

const unshare = [
  "--net",
  "--mount",
  // As an unprivileged user: root of its own user namespace, where the system allows that.
  ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]),
];

const skip = withoutServers() || withoutNamespaces();

test("nothing leaves the machine, and nothing is written to the home folder", { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "faceline-egress-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const home = join(folder, "home");
  const temporary = join(folder, "tmp");
  for (const each of [home, temporary]) mkdirSync(each);

  const run = join(import.meta.dirname, "stack/egress-run.ts");
  const env = { ...operatorEnvironment(), HOME: home, TMPDIR: temporary };
  const lines: string[] = [];
  const show = (line: string) => lines.push(line) === 0;
  const code = await runInForeground("unshare", [...unshare, process.execPath, run, folder], { env, show });
  assert.equal(code, 0, lines.join("\n"));

  const { observed, control }: EgressReport = JSON.parse(readFileSync(join(folder, "egress.json"), "utf8"));
  assert.deepEqual(observed, { status: 200, names: [], unroutable: 0 });
  assert.deepEqual(readdirSync(home, { recursive: true }), []);
  assert.deepEqual(readdirSync(temporary, { recursive: true }), []);

  await t.test("the control: an attempt is seen, by name and by address", () => {
    assert.deepEqual(control.names, ["faceline.example"]);
    assert.equal(control.unroutable, control.tried);
  });
});

/**
 * The environment of an operator: without CI (it would turn telemetry off) and without this run's servers.
 */
function operatorEnvironment(): NodeJS.ProcessEnv {
  const ownVariables =
    /^(CI|ORT_.*|XDG_.*|KAFKA_.*|REDIS_.*|MODELS_DIR|FACELINE_TEST_RUN|NODE_TEST_CONTEXT)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownVariables.test(name)));
}

/** The test starts its own servers, for which it needs the same programs as the test run. */
function withoutServers(): string | false {
  const started = existsSync(
    join(process.env["FACELINE_TEST_RUN"] ?? "", "kafka", "data", "meta.properties"),
  );
  return !started && "Kafka and Redis were not started by this test run";
}

function withoutNamespaces(): string | false {
  const probe = ["sh", "-c", "ip link set lo up && mount --bind /etc/resolv.conf /etc/resolv.conf"];
  const { status, error, stderr } = spawnSync("unshare", [...unshare, ...probe], { encoding: "utf8" });
  const reason = error?.message ?? stderr.trim();
  return status !== 0 && `NOT CHECKED whether anything leaves this machine: no namespaces here (${reason})`;
}
