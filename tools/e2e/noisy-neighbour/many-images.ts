import { portraits } from "@faceline/testing/faces";
import { type Noise, sendCalls, twiceTheLimit } from "./raw-calls.ts";

/** Calls with as many images as a call may have, and the longest deadline. */
export const manyImages: Noise = async () => {
  const pictures = (await portraits()).map((bytes) => bytes.toString("base64"));
  const candidates = Array.from({ length: 50 }, (_, index) => pictures[index % pictures.length]);
  const body = Buffer.from(JSON.stringify({ img: pictures[0], candidates }));
  const call = { path: "/compare", headers: "x-request-timeout-ms: 120000\r\n", body };
  return (server, stop) => sendCalls({ calls: [call], ...twiceTheLimit }, server, stop);
};
