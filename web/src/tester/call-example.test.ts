import assert from "node:assert/strict";
import { test } from "node:test";
import { callSnippets } from "../docs/reference/snippets.ts";
import { callExample } from "./call-example.ts";

const service = { origin: "http://127.0.0.1:8080", keyNeeded: true };

test("the same call with curl: the public path, the key, the files and what was chosen", () => {
  const call = callExample(
    { call: "verify", metric: "euclidean", threshold: 0.5 },
    { ...service, files: ["dia-1.jpg", "dia-2.jpg"] },
  );
  assert.equal(
    callSnippets(call).curl,
    [
      "curl http://127.0.0.1:8080/verify",
      '-H "x-api-key: $FACELINE_KEY"',
      "-F img1=@dia-1.jpg",
      "-F img2=@dia-2.jpg",
      "-F distance_metric=euclidean",
      "-F threshold=0.5",
    ].join(" \\\n  "),
  );
});

test("one against many: the first image is the source, and a chosen face its number", () => {
  const call = callExample({ call: "compare" }, { ...service, files: ["a.jpg", "b.jpg", "c.jpg"] });
  assert.deepEqual(
    call.fields.map(({ name }) => name),
    ["img", "candidates", "candidates"],
  );
  const chosen = callExample({ call: "compare" }, { ...service, files: ["a.jpg", "b.jpg"], faceIndex: 1 });
  assert.deepEqual(chosen.fields.at(-1), { name: "face_index", value: { text: "1" } });
});

test("a file name is never read as code by a shell or a program", () => {
  const call = callExample({ call: "represent" }, { ...service, files: ['-a"; $(rm) .jpg'] });
  assert.deepEqual(call.fields[0]?.value, { file: "a-rm-.jpg" });
  assert.deepEqual(callExample({ call: "represent" }, { ...service, files: ["…"] }).fields[0]?.value, {
    file: "image.jpg",
  });
});
