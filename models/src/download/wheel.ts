import * as z from "zod";

const Bytes = z.int().min(1);
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const KeptFile = z.strictObject({
  /** Inside the wheel. */
  path: z.string().min(1),
  /** File name in the folder where it is kept. */
  name: z.string().regex(/^[A-Za-z0-9._-]+$/),
  bytes: Bytes,
  sha256: Sha256,
});
export type KeptFile = z.infer<typeof KeptFile>;

/** A zip with a package of Python, with version and SHA-256 as the index states them. */
export const PinnedWheel = z.strictObject({
  name: z.string().min(1),
  version: z.string().min(1),
  /** File name in the index. */
  file: z.string().regex(/^[A-Za-z0-9._-]+\.whl$/),
  bytes: Bytes,
  sha256: Sha256,
});
export type PinnedWheel = z.infer<typeof PinnedWheel>;

/** A wheel of which some files are kept. */
export const Wheel = PinnedWheel.extend({ files: z.array(KeptFile).min(1) });
export type Wheel = z.infer<typeof Wheel>;
