/**
 * The whole-stack tests in `tools/e2e` of which two run at a time: they mostly wait for processes to start,
 * to notice or to end. None of them stops, reconfigures or searches the servers that tests share, none counts
 * processes, and none depends on free cores. All others run alone.
 */
export const stackTestsInPairs: readonly string[] = [
  "added-model.stack.test.ts",
  "client-package.stack.test.ts",
  "core-dump.stack.test.ts",
  "dashboards.stack.test.ts",
  "detectors.stack.test.ts",
  "egress.stack.test.ts",
  "local-thresholds.stack.test.ts",
  "otlp-protocols.stack.test.ts",
  "pictures.stack.test.ts",
  "readme.stack.test.ts",
  "swallowed-links.stack.test.ts",
  "teams.stack.test.ts",
  "tester.stack.test.ts",
  "tracing.stack.test.ts",
  "volatile-redis.stack.test.ts",
  "worker-drain.stack.test.ts",
  "wrong-setting.stack.test.ts",
];
