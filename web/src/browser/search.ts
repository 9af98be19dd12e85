// Search in the documents: `/` leads to the field, arrows through the results, Escape back.
import { findSections, type Found, type SearchIndex, searchIndexPath } from "../docs/search/find-sections.ts";
import { element, find } from "./tester/element.ts";

const form = find(HTMLFormElement, ".search");
const input = find(HTMLInputElement, ".search input");
const results = find(HTMLElement, ".search .results");
const status = find(HTMLElement, "#status");

let index: Promise<SearchIndex> | undefined;

/** Fetches the index once; again if that failed. */
function loadIndex(): Promise<SearchIndex> {
  index ??= fetch(searchIndexPath).then(async (response) => {
    if (!response.ok) throw new Error(`${response.status}`);
    return (await response.json()) as SearchIndex;
  });
  index.catch(() => (index = undefined));
  return index;
}

async function search(): Promise<void> {
  const query = input.value.trim();
  if (query === "") return close();
  try {
    const loaded = await loadIndex();
    // The reader may have typed on meanwhile.
    if (input.value.trim() === query) show(findSections(loaded, query), query);
  } catch {
    say("The search index cannot be loaded. Check the connection and type again.");
  }
}

function show(found: Found[], query: string): void {
  if (found.length === 0) return say(`No results for “${query}”`);
  results.replaceChildren(element("ul", {}, ...found.map(resultItem)));
  results.hidden = false;
  status.textContent = `${found.length} ${found.length === 1 ? "result" : "results"}`;
}

function resultItem({ address, title, place, excerpt }: Found): HTMLElement {
  const link = element("a", { href: address }, element("strong", {}, title), " ");
  if (place !== "") link.append(element("span", { class: "place" }, place));
  link.append(element("span", { class: "excerpt" }, excerpt));
  return element("li", {}, link);
}

function say(text: string): void {
  results.replaceChildren(element("p", {}, text));
  results.hidden = false;
  status.textContent = text;
}

function close(): void {
  results.hidden = true;
  results.replaceChildren();
  status.textContent = "";
}

/** Moves the focus along the field and the links of the results. */
function move(step: number): void {
  const stops = [input, ...results.querySelectorAll("a")];
  const at = stops.findIndex((stop) => stop === document.activeElement);
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus();
}

input.addEventListener("focus", () => void loadIndex().catch(() => {}));
input.addEventListener("input", () => void search());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
form.addEventListener("focusin", () => {
  if (results.hidden && document.activeElement === input) void search();
});
form.addEventListener("focusout", ({ relatedTarget }) => {
  if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
});
// A result on this page moves to its section; the list would hide it.
results.addEventListener("click", (event) => {
  if (event.target instanceof Element && event.target.closest("a") !== null) close();
});
form.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Escape") {
    input.value = "";
    input.focus();
    close();
  }
});
document.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  const isTyping =
    target instanceof HTMLElement && target.matches("input:not([type=radio]), textarea, select");
  if (key !== "/" || ctrlKey || metaKey || altKey || isTyping) return;
  event.preventDefault();
  input.focus();
});
