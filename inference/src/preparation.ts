import type { Clock } from "@faceline/contracts/runtime/clock";
import type { Batch, BatchTask } from "@faceline/contracts/wire/batch";
import type { Outcome } from "@faceline/contracts/wire/outcome";
import type { Decode } from "./decode/decoder.ts";
import type { Picture } from "./decode/picture.ts";
import type { PixelRoom, PixelRooms } from "./decode/pixel-rooms.ts";
import type { EnginePicture } from "./engine/work.ts";
import type { ImageInbox } from "./image-inbox.ts";

/** Makes a batch ready to run: fetches its images and decodes them into a room of their own. */
export type Preparation = (batch: Batch) => Promise<Prepared>;

export function openPreparation({ images, rooms, decode, clock }: PreparationParts): Preparation {
  const fetchAndDecode = async (tasks: BatchTask[], room: PixelRoom) => {
    if (tasks.length === 0) return [];
    using fetched = await images.fetch(tasks.map((task) => task.id));
    return await allEnded(
      fetched.images.map(async (bytes) => (bytes === null ? imageLost : decode(bytes, room))),
    );
  };

  return async (batch) => {
    const room = await rooms.take();
    try {
      const begunAt = clock.now();
      const ends: Prepared["ends"] = [];
      const listened = batch.tasks.filter((task) => {
        const late = begunAt - task.deadlineAt;
        if (late >= 0) ends.push({ task, outcome: { kind: "expired", lateByMs: late } });
        return late < 0;
      });
      const decoded = await fetchAndDecode(listened, room);
      const pictures: EnginePicture[] = [];
      const pictured: BatchTask[] = [];
      for (const [index, result] of decoded.entries()) {
        const task = listened[index]!;
        if (result.kind === "picture") {
          pictures.push(enginePicture(result, task));
          pictured.push(task);
        } else ends.push({ task, outcome: result });
      }
      return {
        pictures,
        pictured,
        ends,
        tookMs: clock.now() - begunAt,
        release: () => room[Symbol.dispose](),
      };
    } catch (error) {
      room[Symbol.dispose]();
      throw error;
    }
  };
}

/** Also where one failed: the others still read their images, and write into the room. */
async function allEnded<T>(decodes: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(decodes);
  return Promise.all(decodes);
}

const imageLost: Outcome = { kind: "failed", reason: "image_lost" };

function enginePicture(picture: Picture, { options }: BatchTask): EnginePicture {
  const { pixels, width, height, originalWidth, originalHeight } = picture;
  return { pixels, width, height, originalWidth, originalHeight, options };
}

type PreparationParts = { images: ImageInbox; rooms: PixelRooms; decode: Decode; clock: Clock };

export type Prepared = {
  pictures: EnginePicture[];
  /** The tasks of the pictures, in the same order. */
  pictured: BatchTask[];
  /** Tasks that ended before a run: too late, their image is gone, or it is no picture. */
  ends: { task: BatchTask; outcome: Outcome }[];
  tookMs: number;
  /** Zeroes the pixels and frees their room. */
  release(): void;
};
