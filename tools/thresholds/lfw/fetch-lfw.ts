import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type DownloadOptions, download, type WantedFile } from "@faceline/models/download/download";
import { requireRoom } from "@faceline/models/disk-room";
import { x as extract } from "tar";

/**
 * Fetches Labeled Faces in the Wild into `folder`, and returns the folder that `--lfw` reads. What is there
 * already is not fetched again, and a download that was cut off goes on. Nothing is unpacked before the
 * tarball has its SHA-256; then only images are, and no more than there are. Throws one sentence.
 */
export async function fetchLfw(
  folder: string,
  { files = lfwFiles, ...options }: FetchOptions,
): Promise<string> {
  const [images, list] = [join(folder, "lfw"), join(folder, "pairs.txt")];
  const parts = join(folder, "parts");
  const fetch = ({ bytesMax, ...wanted }: LfwFile) =>
    download(wanted, { ...options, folder: parts, bytesMax }).catch(({ message }: Error) => {
      const reason = message.replace(/(; | )--from FOLDER .*/, ".");
      throw new Error(`${reason} Or fetch ${wanted.url} yourself, unpack it, and name the folder.`);
    });
  if (!existsSync(list)) {
    const part = await fetch(files.list);
    await rename(part.path, list);
    await part.remove();
  }
  if (!existsSync(images)) {
    const part = await fetch(files.images);
    await requireRoom(folder, files.unpackedBytesMax);
    const staging = join(folder, "unpacked");
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { recursive: true, mode: 0o700 });
    await unpack(part.path, staging, files);
    await rename(staging, images);
    await part.remove();
  }
  return images;
}

async function unpack(
  tarball: string,
  staging: string,
  { imagesMax, unpackedBytesMax }: LfwFiles,
): Promise<void> {
  let [count, bytes] = [0, 0];
  await extract({
    file: tarball,
    cwd: staging,
    strip: 1,
    strict: true,
    filter: (path, entry) => {
      const isImage = "type" in entry && entry.type === "File" && imagePath.test(path);
      if (!isImage || ++count > imagesMax) return false;
      bytes += entry.size;
      return bytes <= unpackedBytesMax;
    },
  });
  if (count === 0 || count > imagesMax || bytes > unpackedBytesMax) {
    throw new Error(`The tarball has ${count} images of ${bytes} bytes: it is not that of LFW.`);
  }
}

/** A folder of the tarball, that of a person, and an image; none may begin with a dot. */
const imagePath = /^\w[^/\\]*\/\w[^/\\]*\/\w[^/\\]*_\d{4}\.jpg$/;

/** Addresses and digests as scikit-learn pins them. The files themselves were never fetched here. */
const lfwFiles: LfwFiles = {
  list: {
    url: "https://ndownloader.figshare.com/files/5976006",
    sha256: "ea42330c62c92989f9d7c03237ed5d591365e89b3e649747777b70e692dc1592",
    bytesMax: 1e6,
  },
  images: {
    url: "https://ndownloader.figshare.com/files/5976018",
    sha256: "055f7d9c632d7370e6fb4afc7468d40f970c34a80d4c6f50ffec63f5a8d536c0",
    bytesMax: 3e8,
  },
  imagesMax: 13_233,
  unpackedBytesMax: 6e8,
};

type LfwFile = WantedFile & { bytesMax: number };
type LfwFiles = { list: LfwFile; images: LfwFile; imagesMax: number; unpackedBytesMax: number };
/** Tests fetch other files. */
type FetchOptions = Pick<DownloadOptions, "progress" | "stop"> & { files?: LfwFiles };
