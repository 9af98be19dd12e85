import sharp from "sharp";
import { type Noise, sendCalls, twiceTheLimit } from "./raw-calls.ts";

/**
 * Pairs of interlaced PNGs with as many pixels as are accepted, which take the longest to decode for their
 * size: 8 bits, and 16 bits with alpha. Half a megabyte and less.
 */
export const interlacedPngs: Noise = async () => {
  const flat = (channels: 3 | 4) =>
    sharp({ create: { width: 8_000, height: 5_000, channels, background: "#7c8a91" } });
  const pngs = [flat(3), flat(4).toColourspace("rgb16")].map((each) =>
    each.png({ progressive: true, compressionLevel: 9 }).toBuffer(),
  );
  const calls = (await Promise.all(pngs)).map((png) => {
    const img = png.toString("base64");
    const body = Buffer.from(JSON.stringify({ img1: img, img2: img }));
    return { path: "/verify", headers: "x-request-timeout-ms: 120000\r\n", body };
  });
  return (server, stop) => sendCalls({ calls, ...twiceTheLimit }, server, stop);
};
