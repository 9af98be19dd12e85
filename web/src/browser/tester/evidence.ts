import { callSnippets } from "../../docs/reference/snippets.ts";
import { callExample } from "../../tester/call-example.ts";
import { jsonLines } from "../../tester/json-lines.ts";
import { formatMs } from "../../tester/numbers.ts";
import type { TesterSettings } from "../../tester/settings.ts";
import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import { element, find } from "./element.ts";
import { timeView } from "./time-view.ts";

/** What led to an answer: the response as JSON, its time, and the request as a program sends it. */
export class Evidence {
  readonly #root: HTMLElement;
  readonly #keyNeeded: boolean;
  readonly #json: HTMLElement;
  readonly #showAll = element("button", { type: "button", class: "plain show-all" });

  constructor(root: HTMLElement, keyNeeded: boolean) {
    this.#root = root;
    this.#keyNeeded = keyNeeded;
    this.#json = find(HTMLElement, ".json", root);
    this.#json.append(this.#showAll);
    this.#showAll.addEventListener("click", () => {
      this.#json.classList.remove("cut");
      find(HTMLElement, "pre", this.#json).focus();
    });
  }

  show(
    { settings, files, faceIndex, notes }: RequestFacts,
    { body, serverTiming, measuredMs }: ResponseFacts,
  ): void {
    this.#root.hidden = false;
    this.#json.hidden = body === undefined;
    if (body !== undefined) this.#showJson(body);
    find(HTMLElement, ".note-of-call", this.#root).replaceChildren(...notes);
    const time = find(HTMLElement, ".time", this.#root);
    time.hidden = serverTiming === undefined;
    if (serverTiming !== undefined) {
      const { table, totalMs } = timeView(serverTiming, measuredMs);
      const total = measuredMs === undefined ? words.time.stored : words.time.total;
      find(HTMLElement, "summary", time).textContent = fill(total, { time: formatMs(totalMs) });
      find(HTMLElement, ".bars", time).replaceChildren(table);
    }
    const facts = { origin: location.origin, keyNeeded: this.#keyNeeded, files, faceIndex };
    const example = callExample(settings, facts);
    for (const [language, code] of Object.entries(callSnippets(example))) {
      find(HTMLElement, `.in-${language} code`, this.#root).textContent = code;
    }
  }

  hide(): void {
    this.#root.hidden = true;
  }

  /** Dims it while it belongs to another request. Nothing in it can be copied then. */
  setStale(isStale: boolean): void {
    this.#root.inert = isStale;
    this.#root.ariaBusy = String(isStale);
    for (const button of this.#root.querySelectorAll<HTMLButtonElement>(".copy")) button.disabled = isStale;
  }

  /** Highlights the lines of a part of the response; undefined: none. */
  highlight(path: string | undefined): void {
    for (const line of this.#json.querySelectorAll<HTMLElement>(".line")) {
      const own = line.dataset["path"] ?? "";
      const within = path !== undefined && (own === path || own.startsWith(`${path}.`));
      line.classList.toggle("highlighted", within);
    }
  }

  /** Each line has the path of its value. A long response is cut, with a button that shows all of it. */
  #showJson(value: unknown): void {
    const lines = jsonLines(value);
    find(HTMLElement, "code", this.#json).replaceChildren(
      ...lines.map(({ text, path }) => element("span", { class: "line", "data-path": path }, `${text}\n`)),
    );
    this.#json.classList.toggle("cut", lines.length > shownLinesMax);
    this.#showAll.textContent = fill(words.request.showAll, { lines: lines.length });
  }
}

/** A request as a program sends it. */
export type RequestFacts = {
  settings: TesterSettings;
  files: string[];
  faceIndex?: number | undefined;
  notes: (Node | string)[];
};

type ResponseFacts = {
  /** The body of the response; undefined if there was none. */
  body: unknown;
  serverTiming?: string;
  /** Undefined for an answer that the service keeps. */
  measuredMs?: number | undefined;
};

/** Lines that fit into the box. */
const shownLinesMax = 20;
