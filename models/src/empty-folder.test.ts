import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rootCertificates } from "node:tls";
import { promisify } from "node:util";
import { temporaryFolder } from "../testing/temporary-folder.ts";

test("a process moves into an empty folder of its own once, knows the authorities of a relative path, and leaves nothing", async (t) => {
  const temporary = await temporaryFolder(t);
  writeFileSync(join(temporary, "ca.pem"), rootCertificates[0]!);
  const module = `
    import { readdirSync } from "node:fs";
    import { getCACertificates } from "node:tls";
    import { enterEmptyFolder } from ${JSON.stringify(new URL("./empty-folder.ts", import.meta.url).href)};
    enterEmptyFolder();
    const folder = process.cwd();
    enterEmptyFolder();
    const authorities = getCACertificates("extra").length;
    const same = process.cwd() === folder;
    console.log(JSON.stringify({ folder, same, contents: readdirSync("."), authorities }));`;
  const env = { ...process.env, TMPDIR: ".", NODE_EXTRA_CA_CERTS: "ca.pem" };
  const args = ["--input-type=module", "--eval", module];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: temporary, env });
  const { folder, ...found } = JSON.parse(stdout);
  assert.ok(folder.startsWith(join(temporary, "faceline-empty-")));
  assert.deepEqual(found, { same: true, contents: [], authorities: 1 });
  assert.deepEqual(readdirSync(temporary), ["ca.pem"]);
});
