import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setEnvironment } from "../testing/environment.ts";
import { openResource, revision, revisionOf, version } from "./resource.ts";

test("a resource names the service, its version and the SDK, and neither the host nor the command line", async (t) => {
  const known = {
    "service.namespace": "faceline",
    "service.instance.id": "ingress-1",
    "service.version": version,
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.name": "opentelemetry",
    ...(revision === undefined ? {} : { "vcs.ref.head.revision": revision }),
  };
  const attributes = async () => {
    const { attributes } = await openResource({ service: "ingress", id: "ingress-1" });
    const { "telemetry.sdk.version": sdk, ...others } = attributes;
    assert.match(String(sdk), /^\d+\.\d+/);
    return others;
  };
  assert.deepEqual(await attributes(), { ...known, "service.name": "faceline-ingress" });

  setEnvironment(t, {
    OTEL_RESOURCE_ATTRIBUTES: "service.version=9,k8s.pod.name=pod-1",
    OTEL_SERVICE_NAME: "gate",
  });
  const set = { "service.version": "9", "service.name": "gate", "k8s.pod.name": "pod-1" };
  assert.deepEqual(await attributes(), { ...known, ...set }, "the settings of OpenTelemetry come first");
});

test("the commit of a checkout: on a branch, of a packed branch, without one; none elsewhere", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "git-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [loose, packed, detached] = ["a", "b", "c"].map((digit) => digit.repeat(40));
  const write = (path: string, text: string) => writeFileSync(join(folder, path), `${text}\n`);
  assert.equal(revisionOf(folder), undefined);
  mkdirSync(join(folder, "refs/heads"), { recursive: true });
  write("HEAD", "ref: refs/heads/a.b");
  assert.equal(revisionOf(folder), undefined);
  write("packed-refs", `# pack-refs with: peeled\n${loose} refs/heads/axb\n${packed} refs/heads/a.b`);
  assert.equal(revisionOf(folder), packed);
  write("refs/heads/a.b", loose!);
  assert.equal(revisionOf(folder), loose);
  write("HEAD", detached!);
  assert.equal(revisionOf(folder), detached);
});
