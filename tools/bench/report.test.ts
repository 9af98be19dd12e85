import assert from "node:assert/strict";
import test from "node:test";
import { restOfMachine } from "./observe/processes.ts";
import { cpuTable, table, vectorInstructions } from "./report.ts";

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

test("the vector instruction sets of a processor are read, and none of its other flags", () => {
  const cpuinfo =
    "processor\t: 0\nflags\t\t: fpu sse2 avx2 avx512f avx512_bf16 avx512_vnni avx_vnni amx_int8\nbugs\t\t:\n";
  assert.deepEqual(vectorInstructions(cpuinfo), ["avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8"]);
  assert.deepEqual(vectorInstructions(""), []);
});
