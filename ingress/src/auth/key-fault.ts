import type { IncomingHttpHeaders } from "node:http";

/** Returns a sentence for a request without a key: where one seems to be, and belongs. Never repeats it. */
export function missingKeyDetail({ headers, url }: { headers: IncomingHttpHeaders; url: string }): string {
  return `${placeOfKey(headers, url) ?? "This request needs an API key"}: ${wanted}`;
}

/** Sentence for a key that no team has, by what is around it. */
export function unknownKeyDetail({ authorization = "", "x-api-key": header }: IncomingHttpHeaders): string {
  const key = String(header ?? "") || authorization.replace(/^bearer\s+/i, "");
  if (/^bearer\b/i.test(key)) return "The API key is not known: leave out the word Bearer before it.";
  if (/^["'].*["']$/.test(key)) return "The API key is not known: leave out the quotes around it.";
  if (/^[$<{%]|^your/i.test(key)) return "The API key is not known: it is a placeholder, not a key.";
  return "The API key is not known.";
}

function placeOfKey({ authorization, ...headers }: IncomingHttpHeaders, url: string): string | undefined {
  if (authorization !== undefined) {
    const scheme = /^(basic|digest|token|apikey|api-key|key|jwt)\s/i.exec(authorization)?.[1];
    if (scheme !== undefined) return `Authorization has the scheme ${scheme.toLowerCase()} instead of Bearer`;
    if (/^bearer\s*$/i.test(authorization)) return "Authorization has no key after Bearer";
    return "Authorization must be the word Bearer and one key";
  }
  if (headers["x-api-key"] !== undefined) return "The header x-api-key is empty";
  const header = Object.keys(headers).find((name) => otherHeader.test(name));
  if (header !== undefined) return `The key is in the header ${header}`;
  return keyInQuery.test(url) ? "The key is in the URL, which logs record" : undefined;
}

const wanted = 'send "Authorization: Bearer KEY" or "x-api-key: KEY".';

/** Headers in which other services take keys. */
const otherHeader =
  /^((x-|x-rapid)?api[-_]?key|x-(api|auth|access)-token|x-key|ocp-apim-subscription-key|proxy-authorization)$/;

const keyInQuery = /[?&](api[-_]?key|x-api-key|key|token|access_token)=/i;
