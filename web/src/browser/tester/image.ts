import { type Area, cropAround } from "../../tester/face-crop.ts";
import { words } from "../../tester/words.ts";

/** An image as it is shown and sent: upright, and not larger than the service needs. */
export type Image = {
  name: string;
  /** Returns what is sent. Throws a TypeError if it is a sample and the service is not reached. */
  read(): Promise<Blob>;
  /** Address of the shown image, in the same size. */
  address: string;
  width: number;
  height: number;
  /** Address of a sample; undefined for an image of the visitor's own. */
  sample?: string;
};

/** The image cannot be used; the message says why and what to do. */
export class UnreadableImage extends Error {}

/**
 * Reads an image, turns it upright and scales it down to a long side of 1,600 pixels. It is encoded again, so
 * that other content of the file, such as the location, does not leave the browser. Throws UnreadableImage.
 */
export async function imageFrom(file: Blob, name: string): Promise<Image> {
  const bitmap = await decode(file, name);
  const factor = Math.min(1, longSideMaxPx / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * factor));
  canvas.height = Math.max(1, Math.round(bitmap.height * factor));
  const context = canvas.getContext("2d")!;
  // JPEG has no transparency: what is transparent becomes white, not black.
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return fromCanvas(canvas, name);
}

/**
 * Returns a sample. It is sent as it is, and read only then; what is shown has the same size and fewer bytes.
 * Throws UnreadableImage.
 */
export async function sampleFrom(
  addresses: { image: string; preview: string },
  name: string,
): Promise<Image> {
  const preview = await load(addresses.preview).catch(failToLoad);
  const { width, height } = await sizeOf(preview, name);
  const read = (): Promise<Blob> => load(addresses.image);
  return { name, read, address: URL.createObjectURL(preview), width, height, sample: addresses.image };
}

/**
 * Returns one face of an image, with the room around it that a detector needs. Other faces are painted over,
 * because the service would compare them too. Throws UnreadableImage.
 */
export async function cutFace(image: Image, faces: Area[], face: number): Promise<Image> {
  const bitmap = await decode(await image.read().catch(failToLoad), image.name);
  const { crop, covered, kept } = cropAround(faces, face, bitmap);
  const canvas = document.createElement("canvas");
  canvas.width = crop.w;
  canvas.height = crop.h;
  const context = canvas.getContext("2d")!;
  context.translate(-crop.x, -crop.y);
  context.drawImage(bitmap, 0, 0);
  context.fillStyle = "gray";
  for (const { x, y, w, h } of covered) context.fillRect(x, y, w, h);
  context.drawImage(bitmap, kept.x, kept.y, kept.w, kept.h, kept.x, kept.y, kept.w, kept.h);
  bitmap.close();
  return fromCanvas(canvas, `${image.name.replace(/\.\w+$/, "")}-face-${face + 1}.jpg`);
}

/** Frees the memory of an image that is no longer shown. */
export const releaseImage = ({ address }: Image): void => URL.revokeObjectURL(address);

/** Returns the bytes in Base64. */
export async function base64Of(file: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(reader.result as string));
  reader.addEventListener("error", () => reject(new UnreadableImage(words.image.notRead)));
  reader.readAsDataURL(file);
  const dataUrl = await promise;
  return dataUrl.slice(dataUrl.indexOf(",") + 1);
}

function failToLoad(): never {
  throw new UnreadableImage(words.image.notLoaded);
}

/** Throws a TypeError if the service is not reached, as fetch does. */
async function load(address: string): Promise<Blob> {
  const response = await fetch(address);
  if (!response.ok) throw new TypeError(`${address}: status ${response.status}`);
  return response.blob();
}

async function sizeOf(file: Blob, name: string): Promise<{ width: number; height: number }> {
  const bitmap = await decode(file, name);
  const { width, height } = bitmap;
  bitmap.close();
  return { width, height };
}

async function decode(file: Blob, name: string): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    const isHeic = /\.hei[cf]$/i.test(name) || /hei[cf]/.test(file.type);
    throw new UnreadableImage(isHeic ? words.image.heic : words.image.notOpened);
  }
}

async function fromCanvas(canvas: HTMLCanvasElement, name: string): Promise<Image> {
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  canvas.toBlob(resolve, "image/jpeg", jpegQuality);
  const file = await promise;
  if (file === null) throw new UnreadableImage(words.image.notScaled);
  const { width, height } = canvas;
  return { name, read: async () => file, address: URL.createObjectURL(file), width, height };
}

const longSideMaxPx = 1_600;
const jpegQuality = 0.92;
