import type { TesterCall } from "../../tester/settings.ts";
import { type Picture, pictureFrom } from "./picture.ts";
import { Slot } from "./slot.ts";

/** The places for the pictures of a call: one, two, or one and a list of others. */
export class Slots {
  readonly #root: HTMLElement;
  readonly #candidatesMax: number;
  readonly #changed: () => void;
  readonly #slots: Slot[] = [];
  #call: TesterCall = "verify";
  /** Index of the slot that the last sample went to, when both were filled. */
  #last = -1;

  constructor(root: HTMLElement, { candidatesMax, changed }: { candidatesMax: number; changed: () => void }) {
    this.#root = root;
    this.#candidatesMax = candidatesMax;
    this.#changed = changed;
    // A file dropped beside a slot would otherwise replace the page.
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => event.preventDefault());
    addEventListener("paste", (event) => {
      const file = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
      if (file === undefined) return;
      event.preventDefault();
      void this.slotForNext().take(() => pictureFrom(file, file.name));
    });
  }

  /** Shows the slots of a call. Pictures stay where there is a slot for them. */
  show(call: TesterCall): void {
    this.#call = call;
    const kept = this.#slots.filter(({ picture }) => picture !== undefined).length;
    const [least, most] = slotCounts(call, this.#candidatesMax);
    this.#resize(Math.min(Math.max(least, kept), most));
    if (call === "compare") this.#leaveOneEmpty();
    this.#root.dataset["call"] = call;
    for (const slot of this.#slots) slot.markFaces([]);
    this.#nameAll();
  }

  get call(): TesterCall {
    return this.#call;
  }

  /** The pictures of the call; undefined while one is missing. */
  pictures(): Picture[] | undefined {
    const pictures = this.#slots.flatMap(({ picture }) => picture ?? []);
    const [least] = slotCounts(this.#call, this.#candidatesMax);
    const complete = pictures.length >= least && this.#slots[0]?.picture !== undefined;
    return complete ? pictures : undefined;
  }

  /** The slots that hold a picture, in the order of the call. */
  get filled(): Slot[] {
    return this.#slots.filter(({ picture }) => picture !== undefined);
  }

  get all(): readonly Slot[] {
    return this.#slots;
  }

  /** The first empty slot; where all are full, each in its turn. */
  slotForNext(): Slot {
    const empty = this.#slots.find(({ picture }) => picture === undefined);
    if (empty !== undefined) return empty;
    this.#last = (this.#last + 1) % this.#slots.length;
    return this.#slots[this.#last]!;
  }

  #resize(count: number): void {
    while (this.#slots.length > count) {
      const removed = this.#slots.findLast(({ picture }) => picture === undefined) ?? this.#slots.at(-1)!;
      this.#remove(removed);
    }
    while (this.#slots.length < count) this.#add();
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
    const other = this.#slots.find((each) => each !== slot);
    if (this.#call === "verify" && second !== undefined && other !== undefined) {
      const reads = [pictureFrom(first, first.name), pictureFrom(second, second.name)] as const;
      // Shown together: no answer about one of them and what was there before.
      const both = Promise.allSettled(reads);
      await Promise.all([
        slot.take(() => both.then(() => reads[0])),
        other.take(() => both.then(() => reads[1])),
      ]);
      if (others.length > 1) other.showFailure("Only two pictures are compared.");
      return;
    }
    await slot.take(() => pictureFrom(first, first.name));
    if (this.#call !== "compare") return;
    for (const file of others) {
      const next = this.#slots.find(({ isEmpty }) => isEmpty);
      if (next === undefined) return;
      await next.take(() => pictureFrom(file, file.name));
    }
  }

  /** Nobody wants to know how far the first picture of their own is from a sample. */
  #dropSamplesBeside(slot: Slot): void {
    if (this.#call !== "verify" || slot.picture === undefined || slot.picture.sample !== undefined) return;
    for (const each of this.#slots) if (each !== slot && each.isSample) each.empty();
  }

  #nameAll(): void {
    for (const [index, slot] of this.#slots.entries()) {
      slot.name(
        titleOf(this.#call, index),
        this.#call === "verify" || (this.#call === "compare" && index > 0),
      );
    }
  }

  /**
   * One place for another picture, until there are as many as a call may hold. It is the last one, so that
   * candidates are numbered as they are sent.
   */
  #leaveOneEmpty(): void {
    const [least, most] = slotCounts(this.#call, this.#candidatesMax);
    for (const slot of this.#slots.filter(({ picture }) => picture === undefined).slice(1)) {
      if (this.#slots.length > least) this.#remove(slot);
    }
    if (this.#slots.every(({ picture }) => picture !== undefined))
      this.#resize(Math.min(this.#slots.length + 1, most));
    const empty = this.#slots.findIndex(({ picture }, index) => index > 0 && picture === undefined);
    if (empty === -1) return;
    const [slot] = this.#slots.splice(empty, 1);
    this.#slots.push(slot!);
    this.#root.append(slot!.root);
  }
}

const slotCounts = (call: TesterCall, candidatesMax: number): [number, number] =>
  ({ verify: [2, 2], represent: [1, 1], compare: [2, 1 + candidatesMax] })[call] as [number, number];

/** Returns the page's name for the picture of a slot. */
function titleOf(call: TesterCall, index: number): string {
  switch (call) {
    case "verify":
      return index === 0 ? "first picture" : "second picture";
    case "represent":
      return "picture";
    case "compare":
      return index === 0 ? "face to look for" : `candidate ${index}`;
  }
}
