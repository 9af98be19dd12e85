import assert from "node:assert/strict";
import test from "node:test";
import { restOfMachine } from "../observe/cpu.ts";
import { cpuTable, table } from "./table.ts";

test("the columns of a table line up", () => {
  assert.equal(table(["a", "long"], [["1000", "x"]]), "| a    | long |\n|------|------|\n| 1000 | x    |");
});

test("cores are CPU seconds over the time, and other work on the machine is the last column and warned of", () => {
  const text = cpuTable([{ name: "case", cpu: { [restOfMachine]: 0.6, kafka: 1 }, tookMs: 2_000 }]);
  assert.match(text, /\| kafka \| everybody else \|/);
  assert.match(text, /\| case \| 0\.50 {2}\| 0\.30/);
  assert.match(text, /up to 0\.3 cores busy/);
  assert.equal(cpuTable([{ name: "case", cpu: null, tookMs: 1 }]), "CPU time is measured on Linux only.");
});
