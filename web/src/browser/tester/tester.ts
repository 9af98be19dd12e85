import type { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { candidateWords, goneForLong } from "../../tester/failure.ts";
import { referencesOf } from "../../tester/references.ts";
import { isCompare, withThreshold } from "../../tester/response-body.ts";
import { nextTickAt, type RunEvent, type RunState, sendingOf, transition } from "../../tester/run-state.ts";
import { viewOf } from "../../tester/run-view.ts";
import { firstSamples, readSamples, type TesterCall } from "../../tester/settings.ts";
import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import type { Answer } from "./answer.ts";
import { type Answered, type RequestInputs, sendRequest, storedAnswer } from "./call.ts";
import { element, find } from "./element.ts";
import type { RequestFacts } from "./evidence.ts";
import { findFaces, markAnswer, markKnownFaces } from "./faces.ts";
import { askUntil, isAlive } from "./reach.ts";
import type { Result } from "./result.ts";
import { connectSamples, markSamples, showSample } from "./samples.ts";
import { SettingsForm } from "./settings-form.ts";
import { Slots } from "./slots.ts";

/**
 * The tester. `tester/run-state.ts` decides what follows; here it is shown and acted on. A request is sent
 * automatically whenever an image or a setting has changed.
 */
export class Tester {
  readonly #root: HTMLElement;
  readonly #result: Result;
  readonly #slots: Slots;
  readonly #form: SettingsForm;
  #state: State = { kind: "running", step: { kind: "reading" }, startedAt: performance.now() };
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Stops what was started for the previous state. */
  #work = new AbortController();
  /** The answer for the first samples, until it was used or something else was asked. */
  #stored: ReturnType<typeof storedAnswer> | undefined;

  constructor(root: HTMLElement, result: Result, capabilities: CapabilitiesResponse) {
    this.#root = root;
    this.#result = result;
    this.#slots = new Slots(find(HTMLElement, ".slots", root), {
      candidatesMax: Number(root.dataset["candidatesMax"]),
      changed: () => this.#update(),
    });
    this.#form = new SettingsForm(find(HTMLFormElement, "form", root), capabilities, (field) =>
      field === "threshold" ? this.#decideAgain() : this.#changeSetting(field),
    );
    connectSamples(root, () => this.#slots.slotForNext());
    this.#connectPointer();
  }

  /** Shows samples: for the call that a visitor sees first, with the answer that the service keeps. */
  begin(): void {
    const { call, ...chosen } = this.#form.settings;
    if (call === "verify" && Object.keys(chosen).length === 0) this.#stored = storedAnswer();
    const known = [...this.#root.querySelectorAll<HTMLElement>(".sample")].map(
      ({ dataset }) => dataset["name"]!,
    );
    this.#showCall(readSamples(location.search, known));
  }

  /** Shows the slots and the words of the call, with samples in the empty slots. */
  #showCall(samples: readonly string[] = []): void {
    const { call } = this.#form.settings;
    const { title, lead } = words.modes[call];
    find(HTMLElement, "h1").textContent = title;
    find(HTMLElement, ".lead").textContent = lead;
    this.#slots.show(call, samples.length);
    // All at once, so that no intermediate state asks for another image.
    const missing = samples.filter(
      (name) => !this.#slots.filled.some(({ image }) => image?.name === `${name}.jpg`),
    );
    const empty = this.#slots.all.filter(({ isEmpty }) => isEmpty);
    for (const [index, slot] of empty.entries())
      if (missing[index] !== undefined) void showSample(this.#root, missing[index], slot);
  }

  /** Takes the images and settings as they are now. */
  #update(settleMs = this.#stored === undefined ? changeSettlesMs : 0, kept?: Answer): void {
    const { settings, fault } = this.#form;
    markSamples(this.#root, this.#slots.all);
    if (kept === undefined && !this.#slots.isReading) this.#writeAddress();
    const sent = this.#slots.sent;
    // The mean of raw vectors means nothing.
    if (sent !== undefined && settings.metric === "euclidean") sent.people = [];
    if (this.#slots.isReading) return this.#dispatch({ kind: "reading" });
    if (fault !== undefined || sent === undefined) {
      const missing = fault ?? missingWords(settings.call, this.#slots.filled.length);
      const refusal = this.#slots.all.map((slot) => slot.refusal).join(" ");
      return this.#dispatch({ kind: "incomplete", missing, refusal: refusal.trim() });
    }
    const inputs = { settings, ...sent };
    this.#dispatch({ kind: "changed", inputs, settleMs, ...(kept === undefined ? {} : { kept }) });
  }

  /** While a threshold moves, it is written when it is sent: browsers limit how often an address changes. */
  #writeAddress(): void {
    const { filled } = this.#slots;
    const samples = filled.flatMap(({ image }) => (image?.sample === undefined ? [] : [image.name]));
    const names = samples.length === filled.length ? samples.map((name) => name.replace(/\.jpg$/, "")) : [];
    this.#form.writeAddress(names);
  }

  #changeSetting(field: string): void {
    const { call } = this.#form.settings;
    if (call !== this.#slots.call) this.#showCall(this.#slots.areSamples ? firstSamples[call] : []);
    else if (field === "model" || field === "detector") this.#slots.forgetFaces();
    this.#update();
  }

  /** Shows at once what another threshold means for the same images. The response for it follows. */
  #decideAgain(): void {
    const answer = shownAnswer(this.#state);
    const threshold = this.#form.settings.threshold ?? this.#form.ownThreshold;
    const kept = answer && { ...answer, body: withThreshold(answer.body, threshold) };
    this.#update(thresholdSettlesMs, kept);
  }

  #dispatch(event: RunEvent<RequestInputs, Answer>): void {
    const before = this.#state;
    const state = transition(before, event, performance.now());
    this.#state = state;
    if (state !== before) {
      if (sendingOf(state) !== sendingOf(before) || state.kind !== before.kind) this.#startWork(state);
      this.#markSlots(state);
    }
    this.#render();
  }

  /** Stops the work for the previous state, and starts that of the new one. */
  #startWork(state: State): void {
    this.#work.abort();
    this.#work = new AbortController();
    const { signal } = this.#work;
    const sending = sendingOf(state);
    if (sending !== undefined) {
      this.#writeAddress();
      void untilAborted(this.#send(sending, signal), signal);
    }
    if (state.kind === "failure" && state.failure.isUnreachable === true)
      void this.#waitForService(state, signal);
    if (state.kind === "answer") void untilAborted(this.#findFaces(state, signal), signal);
  }

  async #send(
    { inputs, retries }: { inputs: RequestInputs; retries: number },
    signal: AbortSignal,
  ): Promise<void> {
    const stored = await this.#stored;
    this.#stored = undefined;
    const isStored =
      stored !== undefined && inputs.images.every(({ name }, index) => name === stored.files[index]);
    const result = isStored ? stored : await sendRequest(inputs, { signal, retries });
    if (result.kind === "failed") this.#dispatch({ ...result, inputs });
    else this.#dispatch({ kind: "answered", inputs, answer: this.#answerOf(result, inputs) });
  }

  async #waitForService({ inputs }: { inputs: RequestInputs }, signal: AbortSignal): Promise<void> {
    const reached = await askUntil(isAlive, signal);
    if (signal.aborted) return;
    this.#dispatch(reached ? { kind: "reached" } : { kind: "failed", inputs, failure: goneForLong });
  }

  async #findFaces({ answer, inputs: { settings } }: AnswerState, signal: AbortSignal): Promise<void> {
    const { filled } = this.#slots;
    if (await findFaces(answer.body, filled, { settings, signal })) markAnswer(answer, filled);
  }

  #render(): void {
    const state = this.#state;
    const now = performance.now();
    const answer = shownAnswer(state);
    const source =
      answer !== undefined
        ? { key: answer, answer }
        : state.kind === "failure"
          ? { key: state, failure: state.failure, request: this.#requestFacts(state.inputs) }
          : undefined;
    this.#result.render(viewOf(state, this.#form.settings.call, now), source);
    clearTimeout(this.#timer);
    const nextAt = nextTickAt(state, now);
    if (nextAt !== undefined) this.#timer = setTimeout(() => this.#dispatch({ kind: "tick" }), nextAt - now);
  }

  /** Marks on the images what the state says about them, and nothing of the previous state. */
  #markSlots(state: State): void {
    const { filled, all } = this.#slots;
    const answer = shownAnswer(state);
    for (const slot of all) slot.showFault("");
    if (answer === undefined) markKnownFaces(filled);
    else markAnswer(answer, filled);
    if (answer !== undefined && isCompare(answer.body)) {
      for (const each of answer.body.results)
        if ("error" in each) filled[each.index + 1]?.showFault(candidateWords(each));
    }
    if (state.kind === "failure" && state.failure.imageAtFault !== undefined)
      filled[state.failure.imageAtFault]?.showFault(state.failure.headline);
  }

  #answerOf(response: Answered, inputs: RequestInputs): Answer {
    const { ownThreshold, thresholdMax, rateEvidence } = this.#form;
    const { body, serverTiming, measuredMs } = response;
    return {
      body,
      images: this.#slots.filled.map(({ image }) => image!),
      people: inputs.people,
      evidence: rateEvidence,
      scale: {
        own: ownThreshold,
        max: thresholdMax,
        moved: (threshold) => {
          this.#form.setThreshold(threshold);
          this.#decideAgain();
        },
      },
      request: this.#requestFacts(inputs),
      response: { body: body, serverTiming, measuredMs },
    };
  }

  /** The same request as a program sends it: where its files are, and why its numbers may differ. */
  #requestFacts({ settings, images, faceIndex, people }: RequestInputs): RequestFacts {
    const files = images.map(({ name }) => name);
    const download = (href: string, name: string) => element("a", { href, download: name }, name);
    const cuts = this.#slots.filled.flatMap(({ image, sent, chosenFace }) =>
      sent === image
        ? []
        : [
            fill(words.request.cut, { face: chosenFace! + 1, name: image!.name }),
            download(sent!.address, sent!.name),
            " ",
          ],
    );
    const samples = images.flatMap(({ name, sample }) =>
      sample === undefined ? [] : [download(sample, name), " "],
    );
    const others = samples.length > 0 ? [words.request.samples, ...samples] : [];
    const notes = cuts.length + others.length > 0 ? [...cuts, ...others] : [words.request.smaller];
    // A form has no place for the names of people.
    if (people.some((_, candidate) => referencesOf(people, candidate).length > 1)) {
      const guide = "/docs/images#several-images-of-one-person";
      notes.unshift(element("a", { href: guide }, words.request.people), " ");
    }
    return { settings, files, faceIndex, notes };
  }

  /** Pointing at a face, a row or a line of the response highlights the others too. */
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

/** Returns the answer that belongs to the current images and settings. */
function shownAnswer(state: State): Answer | undefined {
  if (state.kind === "answer") return state.answer;
  return state.kind === "running" ? state.kept : undefined;
}

function missingWords(call: TesterCall, filled: number): string {
  const { addImage, addTwo, addSecond } = words.headlines;
  if (call === "represent") return addImage;
  return filled === 0 ? addTwo : addSecond;
}

/** Waits for work that a change may end. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const changeSettlesMs = 200;
/** The page itself knows what a threshold changes, so the service's response may come later. */
const thresholdSettlesMs = 600;

type State = RunState<RequestInputs, Answer>;
type AnswerState = Extract<State, { kind: "answer" }>;
