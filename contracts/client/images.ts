/** A call as JSON can hold it: bytes and Blobs become Base64, wherever they stand. */
export async function encoded(given: unknown): Promise<unknown> {
  if (given instanceof Blob) return base64(new Uint8Array(await given.arrayBuffer()));
  if (given instanceof Uint8Array) return base64(given);
  if (Array.isArray(given)) return typeof given[0] === "number" ? given : Promise.all(given.map(encoded));
  if (typeof given !== "object" || given === null) return given;
  const fields = Object.entries(given).map(async ([name, value]) => [name, await encoded(value)] as const);
  return Object.fromEntries(await Promise.all(fields));
}

/** In pieces: a function takes so many arguments, and an image has millions of bytes. */
function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    text += String.fromCharCode(...bytes.subarray(at, at + pieceBytes));
  }
  return btoa(text);
}

const pieceBytes = 8_192;
