import { callSnippets } from "../../docs/reference/snippets.ts";
import { callExample } from "../../tester/call-example.ts";
import type { Failure } from "../../tester/failure.ts";
import type { TesterSettings } from "../../tester/settings.ts";
import type { AnswerWords } from "./answer-view.ts";
import { element, find } from "./element.ts";
import { jsonLines } from "../../tester/json-lines.ts";
import { timeView } from "./time-view.ts";

/** The part of the page below the pictures: the answer, and what led to it. */
export class Result {
  readonly #root: HTMLElement;
  readonly #keyNeeded: boolean;
  readonly #headline: HTMLElement;
  readonly #explanation: HTMLElement;
  readonly #answer: HTMLElement;
  readonly #evidence: HTMLElement;
  readonly #json: HTMLElement;
  readonly #status = find(HTMLElement, "#status");

  constructor(root: HTMLElement, { keyNeeded }: { keyNeeded: boolean }) {
    this.#root = root;
    this.#keyNeeded = keyNeeded;
    this.#headline = find(HTMLElement, "#headline", root);
    this.#explanation = find(HTMLElement, ".explanation", root);
    this.#answer = find(HTMLElement, ".answer", root);
    this.#evidence = find(HTMLElement, ".evidence", root);
    this.#json = find(HTMLElement, ".json code", root);
  }

  /** Says what to do before there is an answer. */
  showEmpty(missing: string): void {
    this.#say({
      kind: "empty",
      headline: missing,
      explanation: "The answer will appear here.",
      details: [],
    });
    this.#evidence.hidden = true;
  }

  /** The headline and what is below it. Screen readers read the headline alone. */
  showAnswer(words: AnswerWords): void {
    this.#say(words);
    this.#status.textContent = words.headline;
  }

  /** Says anew what the answer means, while the threshold moves. */
  rephrase({ kind, headline, explanation }: Omit<AnswerWords, "details">): void {
    this.#root.dataset["kind"] = kind;
    this.#headline.textContent = headline;
    this.#explanation.textContent = explanation;
  }

  /** An error with all that a report of it needs. `wait` is how long until the next try, if there is one. */
  showFailure(failure: Failure): void {
    const { headline, explanation, code, requestId } = failure;
    const facts = [
      ...(code === undefined
        ? []
        : [
            element(
              "p",
              {},
              "Error ",
              element("a", { href: `/docs/errors#${code}` }, element("code", {}, code)),
            ),
          ]),
      ...(requestId === undefined ? [] : [element("p", {}, "Request id ", element("code", {}, requestId))]),
      element("p", { class: "countdown", hidden: true }),
    ];
    this.#say({
      kind: "failed",
      headline,
      explanation,
      details: [element("div", { class: "facts" }, ...facts)],
    });
    this.#status.textContent = headline;
  }

  showCountdown(seconds: number): void {
    const countdown = find(HTMLElement, ".countdown", this.#answer);
    countdown.hidden = false;
    countdown.textContent = `Trying again in ${seconds} s.`;
  }

  /** The reply, the time that it took, and the same call as a program makes it. */
  showEvidence({ body, serverTiming, measuredMs, settings, files, notes }: Evidence): void {
    find(HTMLElement, ".json", this.#root).hidden = body === undefined;
    if (body !== undefined) showJson(this.#json, body);
    find(HTMLElement, ".note-of-call", this.#root).replaceChildren(...notes);
    const time = find(HTMLElement, ".time", this.#root);
    find(HTMLElement, "figcaption", time).textContent =
      measuredMs === undefined
        ? "Where the time went, when the service computed the answer for these samples"
        : "Where the time went";
    time.hidden = serverTiming === undefined;
    if (serverTiming !== undefined)
      find(HTMLElement, ".bars", time).replaceChildren(timeView(serverTiming, measuredMs));
    const snippets = callSnippets(
      callExample(settings, { origin: location.origin, keyNeeded: this.#keyNeeded, files }),
    );
    for (const [language, code] of Object.entries(snippets)) {
      find(HTMLElement, `.in-${language} code`, this.#evidence).textContent = code;
    }
    this.#evidence.hidden = false;
  }

  /** Lets the part of the reply that describes a face stand out; undefined: none. */
  highlight(path: string | undefined): void {
    highlightJson(this.#json, path);
    for (const row of this.#answer.querySelectorAll<HTMLElement>("[data-path]")) {
      row.classList.toggle("highlighted", row.dataset["path"] === path);
    }
  }

  #say(words: AnswerWords): void {
    const range = 'input[type="range"]';
    const isAtRange = document.activeElement?.matches(range) === true;
    this.rephrase(words);
    this.#answer.replaceChildren(...words.details);
    // Who moves the threshold by keyboard goes on where the handle is now.
    if (isAtRange) this.#answer.querySelector<HTMLInputElement>(range)?.focus();
  }
}

type Evidence = {
  /** The body of the reply, or of the error; undefined where the service was not reached. */
  body: unknown;
  serverTiming?: string | undefined;
  measuredMs?: number | undefined;
  settings: TesterSettings;
  files: string[];
  /** Notes about the same call as a command. */
  notes: (Node | string)[];
};

/** Shows a value as JSON, each line with the path of what it shows. */
function showJson(code: HTMLElement, value: unknown): void {
  code.replaceChildren(
    ...jsonLines(value).map(({ text, path }) =>
      element("span", { class: "line", "data-path": path }, `${text}\n`),
    ),
  );
}

/** Lets the lines of a part of the reply stand out; undefined: none. */
function highlightJson(code: HTMLElement, path: string | undefined): void {
  for (const line of code.querySelectorAll<HTMLElement>(".line")) {
    const own = line.dataset["path"] ?? "";
    line.classList.toggle("highlighted", path !== undefined && (own === path || own.startsWith(`${path}.`)));
  }
}
