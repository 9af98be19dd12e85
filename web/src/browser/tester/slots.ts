import type { TesterCall } from "../../tester/settings.ts";
import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import type { RequestInputs } from "./call.ts";
import { acceptPastes } from "./drops.ts";
import { type Image, imageFrom } from "./image.ts";
import { Slot } from "./slot.ts";

/** The places for the images of a request: one, two, or one and a list of others. */
export class Slots {
  readonly #root: HTMLElement;
  readonly #candidatesMax: number;
  readonly #changed: () => void;
  readonly #slots: Slot[] = [];
  /** Images whose effect on the samples beside them has already happened. */
  readonly #seen = new WeakSet<Image>();
  #call: TesterCall = "verify";
  /** Index of the slot that the last sample went to, when both were filled. */
  #last = -1;

  constructor(root: HTMLElement, { candidatesMax, changed }: { candidatesMax: number; changed: () => void }) {
    this.#root = root;
    this.#candidatesMax = candidatesMax;
    this.#changed = changed;
    acceptPastes((file) => void this.slotForNext().take(() => imageFrom(file, file.name)));
  }

  /** Shows the slots of a call, at least `count` of them. Those that it has no room for keep their images. */
  show(call: TesterCall, count = 0): void {
    this.#call = call;
    const [least, most] = slotCounts(call, this.#candidatesMax);
    while (this.#slots.length < Math.min(Math.max(least, count), most)) this.#add();
    if (call === "compare" && count === 0) this.#leaveOneEmpty();
    for (const [index, slot] of this.#slots.entries()) slot.root.hidden = index >= most;
    this.#root.dataset["call"] = call;
    this.forgetFaces();
    this.#nameAll();
  }

  /** Forgets the faces of all images, and which of them were chosen. */
  forgetFaces(): void {
    for (const slot of this.all) slot.faces = undefined;
  }

  get call(): TesterCall {
    return this.#call;
  }

  /** Values that a request sends for the images; undefined while one is missing. */
  get sent(): Omit<RequestInputs, "settings"> | undefined {
    const images = this.filled.map((slot) => slot.sent!);
    const [least] = slotCounts(this.#call, this.#candidatesMax);
    const source = this.all[0]!;
    if (images.length < least || source.image === undefined) return undefined;
    if (this.#call !== "compare") return { images, people: [] };
    const people = this.filled.slice(1).map(({ person }) => person);
    const { chosenFace } = source;
    return { images, people, ...(chosenFace === undefined ? {} : { faceIndex: chosenFace }) };
  }

  get isReading(): boolean {
    return this.all.some(({ isReading }) => isReading);
  }

  /** The slots that hold an image, in the order of the call. */
  get filled(): Slot[] {
    return this.all.filter(({ image }) => image !== undefined);
  }

  /** Whether every slot holds a sample. */
  get areSamples(): boolean {
    return this.#slots.every(({ isSample }) => isSample);
  }

  /** The slots of the request. */
  get all(): readonly Slot[] {
    return this.#slots.slice(0, slotCounts(this.#call, this.#candidatesMax)[1]);
  }

  /** The first empty slot; if all are full, each in turn. */
  slotForNext(): Slot {
    const { all } = this;
    const empty = all.find(({ isEmpty }) => isEmpty);
    if (empty !== undefined) return empty;
    this.#last = (this.#last + 1) % all.length;
    return all[this.#last]!;
  }

  #add(): void {
    const slot: Slot = new Slot({
      changed: () => {
        this.#dropSamplesBeside(slot);
        if (this.#call === "compare") this.#leaveOneEmpty();
        this.#nameAll();
        this.#changed();
      },
      files: (files) => void this.#takeFiles(slot, files),
      // A comparison takes the number of a face; two images are two files.
      faceChosen: (face) => void slot.choose(face, this.#call === "verify"),
    });
    this.#slots.push(slot);
    this.#root.append(slot.root);
  }

  #remove(slot: Slot): void {
    slot.release();
    slot.root.remove();
    this.#slots.splice(this.#slots.indexOf(slot), 1);
  }

  /** The first file goes to the slot; others to the next empty ones, or to the other one of a pair. */
  async #takeFiles(slot: Slot, [first, ...others]: File[]): Promise<void> {
    if (first === undefined) return;
    const [second] = others;
    const other = this.all.find((each) => each !== slot);
    if (this.#call === "verify" && second !== undefined && other !== undefined) {
      const reads = [imageFrom(first, first.name), imageFrom(second, second.name)] as const;
      // Shown together, so that no answer compares one of them with a previous image.
      const both = Promise.allSettled(reads);
      await Promise.all([
        slot.take(() => both.then(() => reads[0])),
        other.take(() => both.then(() => reads[1])),
      ]);
      if (others.length > 1) other.refuse(words.image.twoOnly);
      return;
    }
    await slot.take(() => imageFrom(first, first.name));
    if (this.#call !== "compare") return;
    for (const file of others) {
      const next = this.#slots.find(({ isEmpty }) => isEmpty);
      if (next === undefined) return;
      await next.take(() => imageFrom(file, file.name));
    }
  }

  /** Nobody wants to compare the first image of their own with a sample. */
  #dropSamplesBeside(slot: Slot): void {
    const { image } = slot;
    if (this.#call !== "verify" || image === undefined || image.sample !== undefined) return;
    if (this.#seen.has(image)) return;
    this.#seen.add(image);
    for (const each of this.all) if (each !== slot && each.isSample) each.empty();
  }

  #nameAll(): void {
    for (const [index, slot] of this.all.entries()) {
      const isCandidate = this.#call === "compare" && index > 0;
      slot.name(titleOf(this.#call, index), { isCandidate, several: isCandidate || this.#call === "verify" });
    }
  }

  /**
   * One slot for another image, until there are as many as a request may hold. It is the last one, so that
   * candidates are numbered as they are sent.
   */
  #leaveOneEmpty(): void {
    // Several may come together: each has its slot already.
    if (this.isReading) return;
    const [least, most] = slotCounts(this.#call, this.#candidatesMax);
    for (const slot of this.#slots.filter(({ isEmpty }) => isEmpty).slice(1)) {
      if (this.#slots.length > least) this.#remove(slot);
    }
    if (this.#slots.length < most && this.#slots.every(({ isEmpty }) => !isEmpty)) this.#add();
    const empty = this.#slots.findIndex(({ isEmpty }, index) => index > 0 && isEmpty);
    if (empty === -1) return;
    const [slot] = this.#slots.splice(empty, 1);
    this.#slots.push(slot!);
    this.#root.append(slot!.root);
  }
}

const slotCounts = (call: TesterCall, candidatesMax: number): [number, number] =>
  ({ verify: [2, 2], represent: [1, 1], compare: [2, 1 + candidatesMax] })[call] as [number, number];

/** Returns the page's name for the image of a slot. */
function titleOf(call: TesterCall, index: number): string {
  const { first, second, only, source, candidate } = words.image;
  if (call === "represent") return only;
  if (call === "verify") return index === 0 ? first : second;
  return index === 0 ? source : fill(candidate, { position: index });
}
