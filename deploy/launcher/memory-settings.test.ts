import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { v8Flags } from "./memory-settings.ts";

test("the images start each service with the same flags of V8", () => {
  const dockerfile = readFileSync(new URL("../images/Dockerfile", import.meta.url), "utf8");
  for (const [service, flags] of Object.entries(v8Flags)) {
    const words = ["/usr/local/bin/node", ...flags, "--disable-sigusr1", `${service}/src/main.ts`];
    const entryPoint = words.map((word) => `"${word}"`).join(", ");
    assert.ok(dockerfile.includes(`ENTRYPOINT [${entryPoint}]`), service);
  }
});
