import assert from "node:assert/strict";
import test from "node:test";
import * as z from "zod";
import { readConfig } from "./config.ts";

const Config = z.object({
  WAIT_MS: z.coerce.number().int().min(1).default(5),
  NAME: z.string().min(2).default("ab"),
});

test("an empty variable counts as unset", () => {
  assert.deepEqual(readConfig(Config, { WAIT_MS: "", NAME: "" }), { WAIT_MS: 5, NAME: "ab" });
});

test("one error lists every invalid setting by name", () => {
  assert.throws(() => readConfig(Config, { WAIT_MS: "soon", NAME: "x" }), {
    name: "SettingsError",
    message: /^settings:\n {2}WAIT_MS: .+\n {2}NAME: .+$/,
  });
});
