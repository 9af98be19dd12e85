import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { errorTable } from "@faceline/contracts/http/errors";
import { retryDelayMs } from "../typescript/retries.ts";

// Covers errors.py, options.py and retries.py, which import Python's own library alone. All else of the
// package is tested with its wheel, on a running service: tools/e2e/python-client.e2e.test.ts.

const versionCheck = ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"];
const skip = spawnSync("python3", versionCheck).status !== 0 && "NOT CHECKED: there is no Python 3.10 here";

test("the Python client retries when the TypeScript client does, and pauses as long", { skip }, () => {
  const errors = [
    [429, "rate_limited"],
    [503, "queue_full"],
    [503, "unexpected_response"],
    [0, "unreachable"],
    [0, "timeout"],
    [400, "invalid_request"],
    [500, "internal_error"],
    [502, "upstream_failed"],
    [504, "upstream_timeout"],
  ] as const;
  const cases = errors.flatMap(([status, code]) =>
    [undefined, 0, 2_000].flatMap((retryAfterMs) =>
      [1, 2, 3, 4].flatMap((attempt) =>
        [60_000, 2_000].flatMap((remainingMs) =>
          [0, 0.5].map((random) => ({ status, code, retryAfterMs, attempt, remainingMs, random })),
        ),
      ),
    ),
  );
  const expected = cases.map(({ attempt, remainingMs, random, ...error }) => {
    const fields = error as Parameters<typeof retryDelayMs>[0];
    return retryDelayMs(fields, { attempt, attemptsMax: 4, remainingMs }, random) ?? null;
  });
  const delays = python(
    `from retries import retry_delay
results = []
for case in cases:
    after, remaining = case.pop("retryAfterMs", None), case.pop("remainingMs") / 1000
    after = None if after is None else after / 1000
    delay = retry_delay(**case, retry_after=after, max_attempts=4, remaining=remaining)
    results.append(None if delay is None else round(delay * 1000, 6))
print(json.dumps(results))`,
    cases,
  );
  assert.deepEqual(delays, expected);
  assert.ok(expected.includes(null) && expected.includes(2_100));
});

test("the Python client raises a class of its own for what callers catch", { skip }, () => {
  const codes = Object.entries(errorTable).map(([code, { status }]) => [code, status] as const);
  const others = [
    ["unreachable", 0],
    ["timeout", 0],
    ["unexpected_response", 404],
    ["unexpected_response", 200],
  ] as const;
  const all = [...codes, ...others];
  const names = python(
    `from errors import error_class
print(json.dumps([error_class(*case).__name__ for case in cases]))`,
    all,
  ) as string[];
  const codesOf = (name: string) => all.filter((_, i) => names[i] === name).map(([code]) => code);
  assert.deepEqual(codesOf("NoFaceDetected"), ["no_face_detected"]);
  assert.deepEqual(codesOf("RateLimited"), ["rate_limited"]);
  assert.deepEqual(codesOf("Unauthorized"), ["missing_api_key", "invalid_api_key", "key_disabled"]);
  assert.deepEqual(codesOf("FacelineError"), ["internal_error", "unexpected_response"]);
  assert.ok(codesOf("InvalidRequest").includes("low_quality"));
  const unavailable = codes.filter(([, status]) => status > 500).map(([code]) => code);
  assert.deepEqual(codesOf("Unavailable"), [...unavailable, "unreachable", "timeout"]);
});

test("the Python client reads Retry-After in seconds and as a date", { skip }, () => {
  const headers = [null, "3", "Thu, 01 Jan 1970 00:00:09 GMT", "Thu, 01 Jan 1970 00:00:01 GMT", "soon", "²"];
  const seconds = python(
    `from errors import parse_retry_after
print(json.dumps([parse_retry_after(header, 4) for header in cases]))`,
    headers,
  );
  assert.deepEqual(seconds, [null, 3, 5, 0, null, null]);
});

test("each method of the Python client takes the fields of its request", { skip }, () => {
  const fields = python(
    `import ast, options
methods = {}
for node in ast.walk(ast.parse(open("async_client.py").read())):
    if isinstance(node, ast.AsyncFunctionDef) and node.name in cases:
        shared = getattr(options, node.args.kwarg.annotation.slice.id).__annotations__.keys()
        own = {each.arg for each in node.args.args[1:] + node.args.kwonlyargs}
        methods[node.name] = sorted(own | shared - options.RequestOptions.__annotations__.keys())
print(json.dumps(methods))`,
    ["verify", "represent", "compare"],
  );
  const fieldsOf = (schema: string) =>
    Object.entries(components.schemas[schema]!.properties)
      .filter(([, { description }]) => description?.startsWith("Not offered") !== true)
      .map(([name]) => name)
      .toSorted();
  const { components } = readJson("contracts/openapi.json") as OpenApi;
  assert.deepEqual(fields, {
    verify: fieldsOf("VerifyRequest"),
    represent: fieldsOf("RepresentRequest"),
    compare: fieldsOf("CompareRequest"),
  });
});

test("the wheel has the version of its workspace", () => {
  const { version } = readJson("clients/package.json") as { version: string };
  const project = readFileSync(join(import.meta.dirname, "pyproject.toml"), "utf8");
  assert.equal(/^version = "(.*)"$/m.exec(project)?.[1], version);
});

/** Reads a file of the repository. */
const readJson = (file: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../..", file), "utf8"));

type OpenApi = {
  components: { schemas: Record<string, { properties: Record<string, { description?: string }> }> };
};

/** Runs a program beside the modules and returns the JSON that it prints. */
function python(program: string, cases: unknown): unknown {
  const text = `import json, sys\ncases = json.load(sys.stdin)\n${program}`;
  const { stdout, stderr } = spawnSync("python3", ["-B", "-c", text], {
    cwd: join(import.meta.dirname, "faceline"),
    input: JSON.stringify(cases),
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}
