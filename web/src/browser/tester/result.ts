import type { Failure } from "../../tester/failure.ts";
import type { ResponseBody } from "../../tester/response-body.ts";
import type { RunView } from "../../tester/run-view.ts";
import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import { type AnswerWords, scaleOf, wordsOf } from "./answer-view.ts";
import type { Answer } from "./answer.ts";
import { element, find } from "./element.ts";
import { Evidence, type RequestFacts } from "./evidence.ts";
import type { ScaleView } from "./scale-view.ts";

/** The part of the page below the images. It shows one state as a whole. */
export class Result {
  readonly #root: HTMLElement;
  readonly #headline: HTMLElement;
  readonly #explanation: HTMLElement;
  readonly #scalePlace: HTMLElement;
  readonly #details: HTMLElement;
  readonly #sure: HTMLElement;
  readonly #countdown = element("p", { class: "countdown" });
  readonly #evidence: Evidence;
  readonly #status = find(HTMLElement, "#status");
  #scale: ScaleView | undefined;
  #shown: object | undefined;
  #answerWords: AnswerWords | undefined;

  constructor(root: HTMLElement, { keyNeeded }: { keyNeeded: boolean }) {
    this.#root = root;
    this.#headline = find(HTMLElement, "#headline", root);
    this.#explanation = find(HTMLElement, ".explanation", root);
    this.#scalePlace = find(HTMLElement, ".scale-place", root);
    this.#details = find(HTMLElement, ".answer", root);
    this.#sure = find(HTMLElement, ".sure", root);
    this.#evidence = new Evidence(find(HTMLElement, ".evidence", root), keyNeeded);
  }

  /** Shows a state: `source` is its answer or its failure. */
  render(view: RunView, source?: Source): void {
    if (view.kind === "empty") this.#clear();
    if (source !== undefined) this.#showSource(source, view);
    this.#apply(view);
  }

  /** Shows that the page could not start. */
  showFailure(failure: Failure): void {
    const { headline, explanation } = failure;
    this.#apply({
      kind: "failed",
      headline,
      explanation,
      isStale: false,
      isEvidenceStale: false,
      status: headline,
    });
  }

  /** Highlights the part of the response that describes a face; undefined: none. */
  highlight(path: string | undefined): void {
    this.#evidence.highlight(path);
    for (const row of this.#details.querySelectorAll<HTMLElement>("[data-path]")) {
      row.classList.toggle("highlighted", row.dataset["path"] === path);
    }
  }

  #apply({ kind, headline, explanation, retryInS, isStale, isEvidenceStale, status }: RunView): void {
    const answer = kind === "answer" ? this.#answerWords : undefined;
    this.#root.dataset["kind"] = answer?.kind ?? kind;
    this.#root.ariaBusy = String(isStale);
    setText(this.#headline, answer?.headline ?? headline);
    setText(this.#explanation, answer?.explanation ?? explanation);
    // Old words stay for a moment, dimmed: most answers arrive before anybody could have read new ones.
    for (const old of [this.#headline, this.#explanation]) old.inert = isStale && headline === undefined;
    for (const old of [this.#scalePlace, this.#details, this.#sure]) old.inert = isStale;
    this.#evidence.setStale(isEvidenceStale);
    this.#countdown.textContent =
      retryInS === undefined ? "" : fill(words.progress.retrying, { seconds: retryInS });
    setText(this.#status, status ?? answer?.headline);
  }

  #clear(): void {
    this.#shown = undefined;
    this.#dropScale();
    this.#details.replaceChildren();
    this.#sure.hidden = true;
    this.#evidence.hide();
  }

  #showSource(source: Source, { isEvidenceStale }: RunView): void {
    if (source.key === this.#shown) return;
    this.#shown = source.key;
    if ("failure" in source) {
      const { failure, request } = source;
      this.#dropScale();
      this.#sure.hidden = true;
      this.#details.replaceChildren(
        element("div", { class: "facts" }, ...failureFacts(failure), this.#countdown),
      );
      this.#evidence.show(request, { body: failure.body });
      return;
    }
    const { answer } = source;
    this.#answerWords = wordsOf(answer);
    const { table, sure } = this.#answerWords;
    this.#showScale(answer);
    this.#details.replaceChildren(...warningsOf(answer.body), ...(table === undefined ? [] : [table]));
    this.#sure.hidden = sure.length === 0;
    find(HTMLElement, "div", this.#sure).replaceChildren(...sure.map((text) => element("p", {}, text)));
    // An answer that the page decided again has no response of its own yet.
    if (!isEvidenceStale) this.#evidence.show(answer.request, answer.response);
  }

  /** The handle of the threshold stays in place while it moves: only its scale is redrawn. */
  #showScale(answer: Answer): void {
    const options = scaleOf(answer);
    if (options === undefined) return this.#dropScale();
    const { key, threshold } = options;
    if (this.#scale?.key === key && threshold <= this.#scale.end) return this.#scale.show(threshold);
    this.#scale = options.open();
    this.#scalePlace.replaceChildren(this.#scale.root);
  }

  #dropScale(): void {
    this.#scale = undefined;
    this.#scalePlace.replaceChildren();
  }
}

/** Identifies what belongs to a state: two with the same key are equal. */
type Source = { key: object } & ({ answer: Answer } | { failure: Failure; request: RequestFacts });

const warningsOf = (body: ResponseBody): HTMLElement[] =>
  ("warnings" in body ? body.warnings : []).map(({ detail }) => element("p", { class: "fault" }, detail));

function failureFacts({ code, requestId }: Failure): HTMLElement[] {
  const facts: HTMLElement[] = [];
  if (code !== undefined) {
    const link = element("a", { href: `/docs/errors#${code}` }, element("code", {}, code));
    facts.push(element("p", {}, `${words.failure.code} `, link));
  }
  if (requestId !== undefined)
    facts.push(element("p", {}, `${words.failure.requestId} `, element("code", {}, requestId)));
  return facts;
}

/** Changes a text only if it differs: users of screen readers would hear it again. */
function setText(place: HTMLElement, text: string | undefined): void {
  if (text !== undefined && place.textContent !== text) place.textContent = text;
}
