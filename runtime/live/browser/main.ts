import type { LiveState } from "../state.ts";
import { type Link, linkWords, pageView, subjectOf } from "../view/page.ts";
import { patch } from "./patch.ts";
import { pollState } from "./poll.ts";
import { askForToken, hideTokenField, listenForToken, readToken } from "./token.ts";

/** The live page of a process: asks for its state every second, and shows it. */
const find = (id: string) => document.getElementById(id)!;

function show(state: LiveState | undefined, link: Link): void {
  const { badge, notice, isStale } = linkWords(link);
  setText(find("link"), badge);
  document.body.dataset["link"] = link.kind;
  setText(find("notice"), notice ?? "");
  find("notice").hidden = notice === undefined;
  find("view").classList.toggle("stale", isStale);
  if (link.kind === "refused") {
    askForToken(readToken() === undefined ? undefined : "This is not the token of this process.");
    find("view").hidden = true;
  }
  if (link.kind !== "live" || state === undefined) return;
  hideTokenField();
  find("view").hidden = false;
  const subject = subjectOf(state.part);
  setText(find("subject"), subject);
  document.title = `${subject} · Faceline live`;
  const view = find("view");
  patch(view, { tag: "div", attributes: { id: "view" }, children: [pageView(state)] });
}

/** Only what differs is written: a screen reader reads what changes. */
function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const poll = pollState({ readToken, onChange: show });
listenForToken(() => poll.askNow());
