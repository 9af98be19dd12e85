import { isAbsolute, relative } from "node:path";

/** What `npm start` ends with: the address, the key, and a command that works as pasted from any folder. */
export function welcome({ addresses, key, keyFile, body, logs, tookMs }: Welcome): string {
  const [address] = addresses;
  const header = key === undefined ? "x-api-key: YOUR-KEY" : `x-api-key: ${key}`;
  const file = /^[\w/.@:+-]+$/.test(body) ? `@${body}` : `"@${body.replaceAll(/["$`\\]/g, "\\$&")}"`;
  const ready = `Faceline is ready, ${(tookMs / 1000).toFixed(1)} s after it was asked for.`;
  return `
${ready}

  address  ${addresses.join("  ")}
  key      ${key === undefined ? "none was made: REDIS_DURABLE_URL is given (--dev-key makes one)" : `${key}  (also in ${near(keyFile)})`}
  logs     ${near(logs)}

Try it. The two pictures are cut from one photograph, at different scales and compressions:

curl -s ${address}/verify -H "${header}" -H "content-type: application/json" -d ${file}

Ctrl-C stops everything.
`;
}

/** A path as somebody would type it here. */
function near(path: string): string {
  const way = relative(process.cwd(), path);
  return way.startsWith("..") || isAbsolute(way) ? path : way;
}

export type Welcome = {
  addresses: string[];
  key: string | undefined;
  keyFile: string;
  body: string;
  logs: string;
  tookMs: number;
};
