/**
 * Returns what an operators' port answers to GET. Throws an Error with a sentence where it does not answer or
 * refuses the token.
 */
export async function getFromPort(port: string, path: string, token: string | undefined): Promise<Response> {
  const url = new URL(path, port);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const reply = await fetch(url, { headers, signal: AbortSignal.timeout(requestMs) }).catch(
    (cause: Error) => {
      throw new Error(`${url.href} cannot be read: ${cause.message}`, { cause });
    },
  );
  if (reply.status === 401) {
    throw new Error(`${url.href} answered 401; give the operators' token by --token-file`);
  }
  return reply;
}

/** The same, of a path that every operators' port has. */
export async function readFromPort(port: string, path: string, token: string | undefined): Promise<Response> {
  const reply = await getFromPort(port, path, token);
  if (reply.ok) return reply;
  throw new Error(`${new URL(path, port).href} answered ${reply.status}; is it an operators' port?`);
}

const requestMs = 5_000;
