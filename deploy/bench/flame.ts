import { box, drawing, grey, text } from "./svg.ts";

/** Where a thread of JavaScript spent its time, as V8's sampling profiler tells it (`node --cpu-prof`). */
export type CpuProfile = {
  /** Microseconds of the machine's steady clock. */
  startTime: number;
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
};

/** A function under those that called it; `ms` includes what it called. Equal frames of one parent are one. */
export class Frame {
  readonly name: string;
  ms = 0;
  readonly below = new Map<string, Frame>();

  constructor(name: string) {
    this.name = name;
  }

  child(name: string): Frame {
    const known = this.below.get(name) ?? new Frame(name);
    this.below.set(name, known);
    return known;
  }
}

/** Adds what a thread did between two instants, idle time aside. */
export function addProfile(root: Frame, profile: CpuProfile, [from, to]: readonly [number, number]): void {
  const parents = new Map<number, number>();
  for (const { id, children } of profile.nodes) for (const child of children ?? []) parents.set(child, id);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  let at = profile.startTime;
  for (const [index, sample] of profile.samples.entries()) {
    const took = profile.timeDeltas[index]!;
    at += took;
    if (at < from || at > to || nodes.get(sample)!.callFrame.functionName === "(idle)") continue;
    const stack: string[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const name = nameOf(nodes.get(id)!.callFrame);
      if (name !== "(root)") stack.unshift(name);
    }
    let frame = root;
    frame.ms += took / 1_000;
    for (const name of stack) {
      frame = frame.child(name);
      frame.ms += took / 1_000;
    }
  }
}

/** From the bottom up: the callers below, what they called above, as wide as it took. */
export function flameGraph(roots: readonly Frame[], title: string): string {
  const width = 1_200;
  const row = 17;
  const all = roots.reduce((sum, { ms }) => sum + ms, 0);
  const marks: string[] = [];
  let deepest = 0;
  const draw = (frame: Frame, x: number, depth: number, colour: string): void => {
    const wide = ((width - 20) * frame.ms) / all;
    if (wide < WIDTH_MIN) return;
    deepest = Math.max(deepest, depth);
    marks.push(box([x, -(depth + 1) * row], [wide - 0.5, row - 1], colour));
    const letters = Math.floor((wide - 6) / 6.2);
    const words = `${frame.name} ${((100 * frame.ms) / all).toFixed(1)} %`;
    const label = words.length <= letters ? words : frame.name.slice(0, letters);
    if (letters >= 4) marks.push(text(x + 3, -(depth + 1) * row + 12, label, { anchor: "start", size: 11 }));
    let next = x;
    for (const child of [...frame.below.values()].toSorted((a, b) => b.ms - a.ms)) {
      draw(child, next, depth + 1, SHADES[(depth + 1) % SHADES.length]!);
      next += ((width - 20) * child.ms) / all;
    }
  };
  let x = 10;
  for (const root of roots) {
    draw(root, x, 0, SHADES[0]!);
    x += ((width - 20) * root.ms) / all;
  }
  const height = (deepest + 1) * row + 50;
  const moved = `<g transform="translate(0 ${height - 10})">\n${marks.join("\n")}\n</g>`;
  return drawing({ width, height }, title, [
    text(width / 2, 22, title, { weight: "bold", fill: grey }),
    moved,
  ]);
}

/** The function, and the package or the folder of ours that it is from. */
function nameOf({ functionName, url }: CpuProfile["nodes"][number]["callFrame"]): string {
  const name = functionName || "(anonymous)";
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  const [, own] = /\/(?:ingress|batcher|inference|contracts)\/(.+)$/.exec(url) ?? [];
  const place = library ?? own?.replace(/^src\//, "");
  return place === undefined ? name : `${name} (${place})`;
}

/** In pixels of the drawing. */
const WIDTH_MIN = 1.5;
const SHADES = ["#f7c59f", "#f4a261", "#f6bd60"];
