import { isAbsolute, relative } from "node:path";

/**
 * The last output of `npm start`: the address, the key, and a call that can be pasted in any folder. Without
 * `body` it is the output of a container.
 */
export function welcomeMessage({
  addresses,
  key,
  keyFile,
  body,
  logs,
  pages,
  accounts,
  viewers,
  operatorsPorts,
  tookMs,
}: Welcome): string {
  const [address] = addresses;
  const header = key === undefined ? "x-api-key: YOUR-KEY" : `x-api-key: ${key}`;
  const keys = body === undefined ? "docker exec CONTAINER node deploy/commands/keys.ts" : "npm run keys --";
  const ready = `Faceline is ready after ${(tookMs / 1000).toFixed(1)} s.`;
  return `
${ready}

  address  ${addresses.join("  ")}
  key      ${key === undefined ? "none, because REDIS_DURABLE_URL is set (--dev-key creates one)" : `${key}  (also in ${relativeToHere(keyFile)})`}
  logs     ${relativeToHere(logs)}${pages ? `\n  browser  ${address}/  (tester, guides, reference)` : ""}${accounts ? `\n  accounts ${keys} operator --email YOU@EXAMPLE.ORG  (makes you the operator of /admin)` : ""}${viewers === undefined ? "" : `\n  observe  ${viewers.join("  ")}  (traces, charts)`}${portsLine(operatorsPorts)}

${body === undefined ? `Try it: ${address}/docs/quick-start has a first request.` : firstCall(`${address}/verify -H "${header}"`, body)}

Ctrl-C stops everything.
`;
}

function firstCall(call: string, body: string): string {
  const file = /^[\w/.@:+-]+$/.test(body) ? `@${body}` : `"@${body.replaceAll(/["$`\\]/g, "\\$&")}"`;
  return `Try it. Both images show the same person, who does not exist:

curl -s --noproxy "*" ${call} -H "content-type: application/json" -d ${file}`;
}

/** The operators' ports by service, for npm run plan and a Prometheus; empty if there are none. */
function portsLine(ports: Record<string, number>): string {
  const byService = Map.groupBy(Object.keys(ports), (name) => name.replace(/-\d+$/, ""));
  const lists = [...byService].map(
    ([service, names]) => `${service} ${names.map((name) => ports[name]).join(" ")}`,
  );
  return lists.length === 0 ? "" : `\n  ports    ${lists.join(", ")}  (for operators: /live, /metrics)`;
}

/** The path relative to the current folder, where that is shorter than leaving it. */
function relativeToHere(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") || isAbsolute(short) ? path : short;
}

type Welcome = {
  addresses: string[];
  key: string | undefined;
  keyFile: string;
  /** File with the body of a first request; undefined in a container. */
  body: string | undefined;
  logs: string;
  /** Whether the service has pages for people. */
  pages: boolean;
  /** Whether people can sign in. */
  accounts: boolean;
  /** Addresses of `--observe`; undefined without. */
  viewers?: string[] | undefined;
  /** Ports by the name of the process; empty without OPERATORS_PORT. */
  operatorsPorts: Record<string, number>;
  tookMs: number;
};
