import { Agent, get } from "node:http";

// The health check of the images of services: exits with 0 if the process in this container is ready, and
// with 1 and a sentence otherwise. The operators' port is the same as in the service's own environment.

const port = process.env["OPERATORS_PORT"];
const host = process.env["OPERATORS_HOST"] ?? "127.0.0.1";
/** Shorter than the time limit of the check in the Dockerfile, so that the reason is shown. */
const timeoutMs = 4_000;

const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
// An agent of its own uses no proxy of the environment.
const target = { host: reachable, port, path: "/readyz", timeout: timeoutMs, agent: new Agent() };
const request = get(target, (response) => {
  process.exitCode = response.statusCode === 200 ? 0 : 1;
  response.pipe(process.stdout);
});
request.on("timeout", () => request.destroy(new Error(`no response within ${timeoutMs} ms`)));
request.on("error", ({ message }) => {
  console.log(`the operators' port does not answer: ${message}`);
  process.exitCode = 1;
});
