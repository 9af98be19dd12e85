import { jsonLines } from "../../tester/json-lines.ts";
import { element } from "./element.ts";

/** Shows a value as JSON, each line with the path of what it shows. */
export function showJson(code: HTMLElement, value: unknown): void {
  code.replaceChildren(
    ...jsonLines(value).map(({ text, path }) =>
      element("span", { class: "line", "data-path": path }, `${text}\n`),
    ),
  );
}

/** Lets the lines of a part of the reply stand out; undefined: none. */
export function highlightJson(code: HTMLElement, path: string | undefined): void {
  for (const line of code.querySelectorAll<HTMLElement>(".line")) {
    const own = line.dataset["path"] ?? "";
    line.classList.toggle("highlighted", path !== undefined && (own === path || own.startsWith(`${path}.`)));
  }
}
