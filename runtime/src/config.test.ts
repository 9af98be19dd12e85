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

test("one error lists every invalid setting with its value, except what may be secret", () => {
  const Secret = z.object({ ...Config.shape, API_TOKEN: z.string().min(9), SMTP_URL: z.url() });
  const wrong = { WAIT_MS: "soon", NAME: "\u200b", API_TOKEN: "hidden", SMTP_URL: "hidden" };
  assert.throws(() => readConfig(Secret, wrong), {
    name: "SettingsError",
    message:
      /^settings:\n {2}WAIT_MS: .+ \(it is "soon"\)\n {2}NAME: .+ \(it is "\u200b"\)\n {2}API_TOKEN: [^"]+\n {2}SMTP_URL: [^"]+$/,
  });
});

test("white space around a value does not count, and quotes are refused beside other faults", () => {
  assert.deepEqual(readConfig(Config, { WAIT_MS: " 7\r", NAME: "abc\r\n" }), { WAIT_MS: 7, NAME: "abc" });
  assert.throws(
    () => readConfig(Config, { WAIT_MS: "'7'\r", NAME: '"x"', OTHER: '"x"' }),
    (fault: Error) => {
      const [, ...lines] = fault.message.split("\n  ");
      assert.deepEqual(
        lines.map((line) => line.slice(0, 22)),
        ["WAIT_MS: the quotes ar", "NAME: the quotes aroun", "NAME: Too small: expec"],
      );
      return true;
    },
  );
});
