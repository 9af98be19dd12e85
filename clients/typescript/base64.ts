/**
 * Returns a copy of a request's body that JSON can hold: bytes and Blobs become Base64, at any depth. Vectors
 * are not copied. Tested with real calls in ingress (`client.test.ts`).
 */
export async function withBase64Images(value: unknown): Promise<unknown> {
  if (value instanceof Blob) return base64(new Uint8Array(await value.arrayBuffer()));
  if (value instanceof Uint8Array) return base64(value);
  if (Array.isArray(value)) {
    return typeof value[0] === "number" ? value : Promise.all(value.map(withBase64Images));
  }
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(
    async ([name, each]) => [name, await withBase64Images(each)] as const,
  );
  return Object.fromEntries(await Promise.all(fields));
}

/**
 * Encodes in chunks: the number of arguments of a function is limited, and an image has millions of bytes.
 */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    text += String.fromCharCode(...bytes.subarray(start, start + chunkBytes));
  }
  return btoa(text);
}

const chunkBytes = 8_192;
