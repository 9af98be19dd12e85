import { setTimeout as sleep } from "node:timers/promises";
import type { LaneId } from "@faceline/contracts/wire/ids";
import { sizedJpeg } from "../calibration/sized-jpeg.ts";
import type { ImageSize } from "../trace/trace.ts";
import { readImages, samplesFolder } from "./inputs.ts";

/**
 * Sends a POST /verify at each instant, in ms from now, whether or not the ones before it were answered, with
 * two images made from the samples. Resolves once all were answered or refused: what the service measured of
 * them is in its recording. plan.test.ts covers it.
 */
export async function sendSynthetic(instants: Iterable<number>, service: SentTo): Promise<void> {
  const images = await Promise.all(readImages(samplesFolder).map((each) => sizedJpeg(each, service.size)));
  const [model_name, detector_backend] = service.lane.split("/");
  const image = (index: number) => images[index % images.length]!.toString("base64");
  const bodies = images.map((_, index) =>
    JSON.stringify({ model_name, detector_backend, img1: image(index), img2: image(index + 1) }),
  );
  const startedAt = performance.now();
  const sent: Promise<unknown>[] = [];
  for (const dueMs of instants) {
    await sleep(Math.max(0, startedAt + dueMs - performance.now()));
    const request = fetch(new URL("/verify", service.url), {
      method: "POST",
      headers: {
        "x-api-key": service.key,
        "x-request-timeout-ms": `${service.deadlineMs}`,
        "content-type": "application/json",
      },
      body: bodies[sent.length % bodies.length]!,
      signal: AbortSignal.timeout(2 * service.deadlineMs),
    });
    sent.push(request.then((response) => response.arrayBuffer()).catch(() => undefined));
  }
  await Promise.all(sent);
}

type SentTo = { url: string; key: string; lane: LaneId; size: ImageSize; deadlineMs: number };
