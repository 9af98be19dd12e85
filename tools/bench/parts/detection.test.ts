import assert from "node:assert/strict";
import test from "node:test";
import { detectionTable } from "./detection.ts";

test("a cell has the faces found as themselves, and after a plus those answered as somebody else", () => {
  const row = (detector: string, scene: string, same: number, other: number) => ({
    detector,
    scene,
    outcomes: { same, other, refused: 25 - same - other },
  });
  const rows = [
    row("ssd", "mask", 18, 4),
    row("tiny", "mask", 9, 0),
    row("ssd", "both", 0, 0),
    row("tiny", "both", 1, 1),
  ];
  const lines = detectionTable({ detectors: ["ssd", "tiny"] }, "cover", rows).split("\n");
  const cells = lines.map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
  assert.deepEqual(
    [cells[0], cells[2], cells[3]],
    [
      ["cover", "mask", "both"],
      ["ssd", "18 + 4", "0"],
      ["tiny", "9", "1 + 1"],
    ],
  );
});
