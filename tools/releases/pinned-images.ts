/** The one list of images of others, and the files that have these images as defaults. */
export const pinnedFile = "deploy/images/pinned.env";
export const filesWithImages = [
  "deploy/images/Dockerfile",
  "deploy/compose/compose.yaml",
  "deploy/compose/compose.production.yaml",
  "deploy/compose/compose.proxy.yaml",
  "deploy/chart/values.yaml",
];

/** Returns every image that a text names, with its digest if it has one. */
export const imagesIn = (text: string): string[] => text.match(image) ?? [];

/** Returns `NAME:TAG` of the images of a text that have no digest. */
export const unpinnedIn = (text: string): string[] => imagesIn(text).filter((each) => !each.includes("@"));

/** `NAME:TAG@sha256:…` → `NAME:TAG`. */
export const tagOf = (each: string): string => each.split("@", 1)[0]!;

/** Returns a text with a new digest for each image that `digests` has by `NAME:TAG`. */
export const pinImages = (text: string, digests: ReadonlyMap<string, string>): string =>
  text.replaceAll(image, (each) => {
    const digest = digests.get(tagOf(each));
    return digest === undefined ? each : `${tagOf(each)}@${digest}`;
  });

const image = /\b(?:docker|gcr)\.io\/[\w./-]+:[\w.-]+(?:@sha256:[0-9a-f]{64})?/g;
