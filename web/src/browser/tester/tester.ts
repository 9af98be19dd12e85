import type { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import type { VerifyResponse } from "@faceline/contracts/http/verify";
import { candidateWords } from "../../tester/failure.ts";
import { type LabelledDistances, labelledBy } from "../../tester/labelled-pairs.ts";
import { qualityWords } from "../../tester/quality-words.ts";
import { verdictOf } from "../../tester/verdict.ts";
import { compareWords, representWords } from "./answer-view.ts";
import { type CallResult, type Replies, sampleAnswer, sendCall } from "./call.ts";
import { element, find } from "./element.ts";
import { markPair, nameCrops, showOtherFaces, showSourceFaces } from "./faces.ts";
import type { Picture } from "./picture.ts";
import { rarityView } from "./rarity-view.ts";
import type { Result } from "./result.ts";
import { connectSamples, markSamples, showSample } from "./samples.ts";
import { scaleView } from "./scale-view.ts";
import { SettingsForm } from "./settings-form.ts";
import { Slots } from "./slots.ts";

/**
 * The tester. It runs by itself whenever a picture or a setting has changed; a new run ends the one before.
 *
 *     empty ──► asking ──► answered
 *                 │ ▲
 *                 ▼ │ Retry-After, online again
 *               failed
 */
export class Tester {
  readonly #root: HTMLElement;
  readonly #result: Result;
  readonly #slots: Slots;
  readonly #form: SettingsForm;
  readonly #progress: HTMLElement;
  readonly #labelled: LabelledPairs;
  #running = new AbortController();
  #soon: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement, result: Result, capabilities: CapabilitiesResponse) {
    this.#root = root;
    this.#result = result;
    this.#progress = find(HTMLElement, ".progress", root);
    this.#labelled = JSON.parse(root.dataset["labelledPairs"]!) as LabelledPairs;
    this.#slots = new Slots(find(HTMLElement, ".slots", root), {
      candidatesMax: Number(root.dataset["candidatesMax"]),
      changed: () => this.#runAfter(changeSettlesMs),
    });
    this.#form = new SettingsForm(find(HTMLFormElement, "form", root), capabilities, (field) =>
      this.#runAfter(field === "threshold" ? thresholdSettlesMs : changeSettlesMs),
    );
    this.#slots.show(this.#form.settings.call);
    connectSamples(root, () => this.#slots.slotForNext());
    this.#connectPointer();
  }

  /**
   * Shows samples: for the call that a visitor sees first, with the answer that the service keeps.
   */
  async begin(): Promise<void> {
    const { call, ...chosen } = this.#form.settings;
    const isPlain = call === "verify" && Object.keys(chosen).length === 0;
    const answer = isPlain ? await sampleAnswer() : undefined;
    const isUntouched = this.#slots.all.every(({ isEmpty }) => isEmpty);
    if (!isUntouched) return;
    const names = answer?.samples ?? firstSamples[call];
    for (const name of names) {
      await showSample(this.#root, name, this.#slots.slotForNext());
      // Room for the next one among many.
      this.#slots.show(call);
    }
    markSamples(this.#root, this.#slots.all);
    if (answer === undefined) return this.run();
    const files = answer.samples.map((name) => `${name}.jpg`);
    this.#showAnswer({ reply: answer.reply, serverTiming: answer.timing, measuredMs: undefined }, { files });
  }

  /** Several changes within `settlesMs` are one call: of a handle that moves, of files that come together. */
  #runAfter(settlesMs: number): void {
    this.#running.abort();
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => void this.run(), settlesMs);
  }

  /** Sends the call as it is now, and shows what becomes of it. */
  async run(retries = 0): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    const { signal } = this.#running;
    const { settings } = this.#form;
    if (settings.call !== this.#slots.call) this.#slots.show(settings.call);
    for (const slot of this.#slots.all) slot.showFault("");
    markSamples(this.#root, this.#slots.all);
    const pictures = this.#slots.pictures();
    const { fault } = this.#form;
    this.#progress.hidden = pictures === undefined || fault !== undefined;
    if (fault !== undefined) return this.#result.showEmpty(fault);
    if (pictures === undefined) {
      return this.#result.showEmpty(missingWords(settings.call, this.#slots.filled.length));
    }
    try {
      const sent = await sendCall(settings, pictures, { signal, retries });
      this.#progress.hidden = true;
      const files = pictures.map(({ name }) => name);
      if (sent.kind === "failed") return await this.#showFailure(sent, { files, retries, signal });
      this.#showAnswer(sent, { files, pictures });
      nameCrops(this.#slots.filled);
      const slots = this.#slots.filled;
      if (isVerify(sent.reply)) await showOtherFaces(sent.reply, slots, settings, signal);
      else if (settings.call === "compare") await showSourceFaces(slots[0]!, settings, signal);
    } catch (error) {
      // A newer run has taken over.
      if (!signal.aborted) throw error;
    }
  }

  #showAnswer(
    { reply, serverTiming, measuredMs }: Omit<Answered, "kind">,
    { files, pictures = [] }: { files: string[]; pictures?: Picture[] },
  ): void {
    if (isVerify(reply)) this.#showVerify(reply);
    else if ("best_match" in reply) {
      const distances = reply.results.flatMap((each) => ("error" in each ? [] : [each.distance]));
      for (const each of reply.results) {
        if ("error" in each) this.#slots.filled[each.index + 1]?.showFault(candidateWords(each));
      }
      const words = compareWords(reply, pictures.slice(1), this.#form.rateEvidence);
      const scale = this.#scale(distances, reply.threshold, () => {});
      this.#result.showAnswer({ ...words, details: [scale, ...words.details] });
    } else {
      const areas = reply.results.map(({ facial_area }) => facial_area);
      const label = (index: number): string => (areas.length > 1 ? String(index + 1) : "");
      this.#slots.filled[0]?.markFaces(
        areas.map((area, index) => ({ area, counted: true, label: label(index), path: `results.${index}` })),
      );
      const issues = reply.results.map(({ quality_issues }) => qualityWords(quality_issues));
      const first = issues.findIndex((words) => words !== "");
      const face = areas.length > 1 ? `Face ${first + 1}: ` : "";
      this.#slots.filled[0]?.showQuality(first === -1 ? "" : `${face}${issues[first]}`);
      this.#result.showAnswer(representWords(reply));
    }
    const { settings } = this.#form;
    this.#result.showEvidence({
      body: reply,
      serverTiming,
      measuredMs,
      settings,
      files,
      notes: this.#callNotes(),
    });
  }

  #showVerify(reply: VerifyResponse): void {
    const { distance, threshold } = reply;
    markPair(reply, this.#slots.filled);
    const moved = (current: number): void =>
      this.#result.rephrase(verdictOf({ distance, threshold: current }));
    const rarity = rarityView(reply.false_match_rate, this.#form.rateEvidence);
    const details = [this.#scale([distance], threshold, moved), rarity];
    this.#result.showAnswer({ ...verdictOf({ distance, threshold }), details });
  }

  #scale(distances: number[], threshold: number, moved: (threshold: number) => void): HTMLElement {
    return scaleView({
      distances,
      threshold,
      own: this.#form.ownThreshold,
      labelled: labelledBy(this.#form.metric, this.#labelled[this.#form.model]),
      moved,
      chosen: (value) => this.#form.chooseThreshold(value),
    });
  }

  /** Notes about the same call: where its files are, and why its numbers may differ. */
  #callNotes(): (Node | string)[] {
    const pictures = this.#slots.filled.flatMap(({ picture }) => picture ?? []);
    const crop = pictures.find(({ whole }) => whole !== undefined);
    if (crop !== undefined) {
      return [`Of ${crop.name} this page sent one face alone; a call with the file sends all of it.`];
    }
    const samples = pictures.flatMap(({ name, sample }) =>
      sample === undefined ? [] : [element("a", { href: sample, download: name }, name), " "],
    );
    return samples.length > 0
      ? ["Download ", ...samples]
      : ["This page sends smaller copies, so a call with your files may give slightly different numbers."];
  }

  /** Shows an error, and runs again by itself where that may help. */
  async #showFailure({ failure, body }: Failed, { files, retries, signal }: FailedCall): Promise<void> {
    const { settings } = this.#form;
    this.#result.showFailure(failure);
    this.#result.showEvidence({ body, settings, files, notes: this.#callNotes() });
    for (const slot of this.#slots.all) slot.markFaces([]);
    const { pictureAtFault } = failure;
    if (pictureAtFault !== undefined) this.#slots.filled[pictureAtFault]?.showFault(failure.headline);
    if (failure.code === undefined) addEventListener("online", () => void this.run(), { once: true, signal });
    if (failure.retryAfterS === undefined) return;
    for (let seconds = failure.retryAfterS; seconds > 0; seconds--) {
      this.#result.showCountdown(seconds);
      await oneSecond(signal);
    }
    await this.run(retries + 1);
  }

  /** The pointer over a face, a row or a line of the reply lets the others stand out too. */
  #connectPointer(): void {
    this.#root.addEventListener("pointerover", ({ target }) => {
      const place =
        target instanceof Element ? target.closest<HTMLElement | SVGElement>("[data-path]") : null;
      this.#highlight(place?.dataset["path"]);
    });
    this.#root.addEventListener("pointerout", () => this.#highlight(undefined));
  }

  #highlight(path: string | undefined): void {
    const shown = path === "" ? undefined : path;
    this.#result.highlight(shown);
    for (const slot of this.#slots.all) slot.highlight(shown);
  }
}

const isVerify = (reply: Replies[keyof Replies]): reply is VerifyResponse => "verified" in reply;

function missingWords(call: keyof Replies, filled: number): string {
  if (call === "represent") return "Add a picture";
  return filled === 0 ? "Add two pictures" : "Add another picture";
}

async function oneSecond(signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, 1_000);
  signal.addEventListener("abort", () => {
    clearTimeout(timer);
    reject(signal.reason as Error);
  });
  return promise;
}

/** Shown where no answer is kept. */
const firstSamples: Record<keyof Replies, string[]> = {
  verify: ["dia-1", "dia-2"],
  represent: ["dia-1"],
  compare: ["dia-1", "dia-2", "chi-1"],
};

const changeSettlesMs = 200;
/** The page itself decides what a threshold changes, so the service's reply may come later. */
const thresholdSettlesMs = 600;

type Answered = Extract<CallResult<Replies[keyof Replies]>, { kind: "answered" }>;
type Failed = Extract<CallResult<Replies[keyof Replies]>, { kind: "failed" }>;
type FailedCall = { files: string[]; retries: number; signal: AbortSignal };
type LabelledPairs = Record<string, Record<string, LabelledDistances | undefined> | null>;
