import assert from "node:assert/strict";
import { test } from "node:test";
import { parseOptions } from "./parse-options.ts";

const options = {
  workers: { type: "string" },
  "dev-key": { type: "boolean" },
  "no-limits": { type: "boolean" },
  json: { type: "string" },
} as const;
const read = (args: string[], env: NodeJS.ProcessEnv = {}, allowPositionals = false) =>
  parseOptions({ args, options, allowPositionals }, { npm_lifecycle_event: "keys", ...env });

test("a mistyped option is told with the one that was probably meant", () => {
  assert.throws(() => read(["--worker", "2"]), {
    message: "Unknown option '--worker': did you mean --workers?",
  });
  assert.throws(() => read(["--devkey"], {}, true), {
    message: "Unknown option '--devkey': did you mean --dev-key?",
  });
  assert.throws(() => read(["--quite-other"], {}, true), { message: "Unknown option '--quite-other'" });
});

// What npm 11 leaves in the environment of `npm run keys --workers 2 --dev-key --no-limits` and its kin.
test("an option that npm has kept for itself, mistyped or not, is told with the command to write", () => {
  for (const [env, option] of [
    [{ npm_config_workers: "true" }, "--workers"],
    [{ npm_config_worker: "2" }, "--workers"],
    [{ npm_config_dev_key: "true" }, "--dev-key"],
    [{ npm_config_limits: "" }, "--no-limits"],
  ] as const) {
    const message = `npm keeps ${option} for itself: write npm run keys -- ${option}`;
    assert.throws(() => read(["2"], env, true), { message });
  }
  assert.throws(() => read([], { npm_config_workers: "2", npm_lifecycle_event: "start" }), {
    message: "npm keeps --workers for itself: write npm start -- --workers",
  });
  assert.throws(() => read(["onnx"]), /'onnx'.* come after --: npm run keys -- --option value/);
});

test("npm's own configuration, and an option that came through, are no fault", () => {
  const env = { npm_config_json: "true", npm_config_audit: "", npm_config_workers: "1" };
  assert.equal(read(["--workers=2"], env).values.workers, "2");
});
