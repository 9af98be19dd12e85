import { promisify } from "node:util";
// It loads the library that is called here, which the package has no function for.
import "@julusian/jpeg-turbo";
import koffi from "koffi";
import type { Decompress } from "./turbojpeg.ts";

/**
 * Decodes a JPEG at some eighths of its size, rounded up: libjpeg-turbo then computes only those pixels from
 * the coefficients. Undefined if the package has no shared library, as on macOS.
 */
export const decompressScaled: Decompress | undefined = openLibrary();

function openLibrary(): Decompress | undefined {
  if (process.platform !== "linux") return undefined;
  // By its SONAME, so it is the one that has been loaded.
  const library = koffi.load("libturbojpeg.so.0");
  const open = library.func("tjInitDecompress", "void *", []);
  const close = library.func("tjDestroy", "int", ["void *"]);
  const { async: start } = library.func("tjDecompress2", "int", [
    "void *",
    "const void *",
    "unsigned long",
    "void *",
    "int",
    "int",
    "int",
    "int",
    "int",
  ]);
  const decompress = promisify(start);
  return async (jpeg, { width, height }, pixels, format) => {
    const handle: unknown = open();
    try {
      // It takes the largest scale at which the image is no larger than this.
      const size = [width, 0, height] as const;
      return (await decompress(handle, jpeg, jpeg.length, pixels, ...size, format, fastTransform)) === 0;
    } finally {
      close(handle);
    }
  };
}

/** TJFLAG_FASTDCT of turbojpeg.h, as the package sets it. */
const fastTransform = 2_048;
