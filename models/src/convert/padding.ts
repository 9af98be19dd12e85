/**
 * The paddings of a convolution along one side of a square map.
 *
 * "same" pads so that the output has ceil(input / stride) cells, and puts the odd cell **after**: a
 * 3-wide kernel with stride 2 on an even side gets 0 before and 1 after. Symmetric padding has the same
 * output size and shifts every feature by half a cell: nothing fails, and the answers are wrong.
 *
 * "even" is that symmetric padding of kernels with odd sides, which networks of other frameworks have.
 */
export function padding(kind: Padding, { px, kernel, stride }: Window): Padded {
  if (kind === "even") {
    const before = (kernel - 1) / 2;
    return { before, after: before, px: Math.floor((px - 1) / stride) + 1 };
  }
  if (kind === "valid") return { before: 0, after: 0, px: Math.floor((px - kernel) / stride) + 1 };

  const cells = Math.ceil(px / stride);
  const total = Math.max((cells - 1) * stride + kernel - px, 0);
  const before = Math.floor(total / 2);
  return { before, after: total - before, px: cells };
}

export type Padding = "same" | "valid" | "even";
/** The map's side, the kernel's side and the step, in cells. */
type Window = { px: number; kernel: number; stride: number };
/** Zeros before and after, and the side of the map that comes out. */
type Padded = { before: number; after: number; px: number };
