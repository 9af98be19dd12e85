import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { failureOf, requireAllowed } from "./address.ts";

/**
 * Sends a GET and follows its redirects. The proxy is that of the environment: HTTPS_PROXY, HTTP_PROXY,
 * NO_PROXY. Throws one sentence. The caller reads or destroys the response.
 */
export async function httpGet(
  address: URL,
  headers: Readonly<Record<string, string>>,
  { stop, stallMaxMs }: { stop: AbortSignal; stallMaxMs: number },
): Promise<{ response: http.IncomingMessage; url: URL }> {
  requireAllowed(address);
  let url = address;
  for (let redirects = 0; redirects <= redirectsMax; redirects++) {
    const response = await getOnce(url, headers, { stop, stallMaxMs });
    const { statusCode, headers: answered } = response;
    if (!redirectStatuses.has(statusCode!) || answered.location === undefined) return { response, url };
    response.destroy();
    const next = URL.canParse(answered.location, url.href) ? new URL(answered.location, url) : undefined;
    if (next === undefined) throw new Error(`${url.host} redirects to an invalid address.`);
    requireAllowed(next, url);
    url = next;
  }
  throw new Error(`${address.host} redirects more than ${redirectsMax} times.`);
}

async function getOnce(
  url: URL,
  headers: Readonly<Record<string, string>>,
  { stop, stallMaxMs }: { stop: AbortSignal; stallMaxMs: number },
): Promise<http.IncomingMessage> {
  const { get, Agent } = url.protocol === "https:" ? https : http;
  try {
    const request = get(url, {
      agent: new Agent({ proxyEnv: process.env }),
      // A compressed response would have another length, and another SHA-256.
      headers: { ...headers, "accept-encoding": "identity", "user-agent": "faceline" },
      signal: stop,
    });
    let response: http.IncomingMessage | undefined;
    request.setTimeout(stallMaxMs, () =>
      (response ?? request).destroy(new Error(`${url.host} has sent nothing for ${stallMaxMs / 1000} s.`)),
    );
    [response] = (await once(request, "response")) as [http.IncomingMessage];
    // From here on, errors are also emitted by the response, for whoever reads it.
    request.on("error", () => {});
    return response;
  } catch (cause) {
    stop.throwIfAborted();
    throw new Error(failureOf(url, cause as NodeJS.ErrnoException), { cause });
  }
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const redirectsMax = 5;
