import type { Html } from "@faceline/runtime/design/html";

/** Part of a page that a link can lead to. */
type Section = {
  /** "" for the start of the page. */
  anchor: string;
  title: string;
  /** Heading above an entry of a list, such as the operation of a field. */
  within: string;
  /** Words of the section without its title. */
  text: string;
  level: "page" | "heading" | "subheading" | "entry";
};

/** Returns the parts of a page that our templates wrote: headings, operations, types and entries of lists. */
export function sectionsOf(page: Html): Section[] {
  const sections: Section[] = [];
  const starts = [...withoutExamples(page).matchAll(start)];
  let within = "";
  for (const [i, { groups = {}, index, 0: opening, input }] of starts.entries()) {
    const { entry, block, id } = groups;
    const level = entry
      ? "entry"
      : groups["tag"] === "h3"
        ? "subheading"
        : (block ?? id)
          ? "heading"
          : "page";
    const title = textOf(groups["entryTitle"] ?? groups["blockTitle"] ?? groups["title"] ?? "");
    const text = input.slice(index + opening.length, starts[i + 1]?.index);
    sections.push({
      anchor: entry ?? block ?? id ?? "",
      title,
      within: level === "entry" ? within : "",
      // What follows a list of entries belongs to none of them.
      text: textOf(level === "entry" ? text.split("</dl>")[0]! : text),
      level,
    });
    if (level !== "entry") within = title;
  }
  return sections;
}

/** Opening of a section, up to the end of its title. Only the first heading begins one without an anchor. */
const start = new RegExp(
  [
    String.raw`<(?<tag>h[123])(?: id="(?<id>[^"]*)")?>(?<title>(?<=<h1>|<h[23] id="[^"]*">).*?)</h[123]>`,
    String.raw`<(?:section|article)[^>]* id="(?<block>[^"]*)"[^>]*>\s*(?:<div[^>]*>\s*)?<h[23][^>]*>(?<blockTitle>.*?)</h[23]>`,
    String.raw`<div id="(?<entry>[^"]*)"><dt><a[^>]*>(?<entryTitle>.*?)</a>`,
  ].join("|"),
  "g",
);

/**
 * Leaves out captions, code other than commands, and what is folded: half of the reference is examples, and
 * each of its pages repeats the errors.
 */
const withoutExamples = (page: Html): string =>
  page
    .replaceAll(/<figure.*?<\/figure>/gs, (code) =>
      code.includes("<figcaption><span>Commands</span>") ? code : "",
    )
    .replaceAll(/<details class="more">.*?<\/details>/gs, "")
    .replaceAll(/<figcaption>.*?<\/figcaption>/gs, "");

const textOf = (markup: string): string =>
  markup
    .replaceAll("</span></dt>", ":")
    .replaceAll(/<\/?(?:a|code|em|strong|wbr)\b[^>]*>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/\s+/g, " ")
    .trim();
