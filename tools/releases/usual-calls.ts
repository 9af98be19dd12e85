import sharp from "sharp";

const calls = 12;

/** Makes calls that end in each of the usual ways: with faces, refused by a worker, too late, cancelled. */
export async function makeUsualCalls(address: string, key: string): Promise<void> {
  const picture = await sharp({ create: { width: 160, height: 160, channels: 3, background: "#7c8a91" } })
    .jpeg()
    .toBuffer();
  const send = async (img: Buffer, init: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const reply = await fetch(`${address}/represent`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": key,
        ...(init.timeoutMs === undefined ? {} : { "x-request-timeout-ms": `${init.timeoutMs}` }),
      },
      body: JSON.stringify({ img: img.toString("base64"), enforce_detection: false }),
      ...(init.signal === undefined ? {} : { signal: init.signal }),
    });
    await reply.arrayBuffer();
  };
  const usual = Array.from({ length: calls }, () => send(picture));
  const truncated = send(picture.subarray(0, Math.floor(picture.length / 2)));
  const late = send(picture, { timeoutMs: 60 });
  // While the first batch runs, the others wait: this one is cancelled there.
  const cancelled = send(picture, { signal: AbortSignal.timeout(40) }).catch(() => {});
  await Promise.all([...usual, truncated, late, cancelled]);
}
