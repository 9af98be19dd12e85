import { readFileSync } from "node:fs";
import type { DocsPage, GuideGroup } from "../docs-page.ts";
import { renderGuide } from "./guide-body.ts";

const folder = new URL("../../../../docs/using/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), "utf8");

/** Guides in groups, with the order, titles and descriptions of the lists in docs/using/README.md. */
export const guideGroups: GuideGroup[] = read("README.md")
  .split("\n## ")
  .slice(1)
  .map((part) => ({ title: part.split("\n", 1)[0]!, guides: listedGuides(part) }));

export const guides: DocsPage[] = guideGroups.flatMap((group) => group.guides);

function listedGuides(list: string): DocsPage[] {
  return Array.from(list.matchAll(/^- \[(.+)\]\(([\w-]+)\.md\): (.+)$/gm), ([, title, name, description]) => {
    const markdown = read(`${name}.md`);
    return {
      path: `/docs/${name}`,
      title: title!,
      description: description!,
      body: (facts) => renderGuide(markdown, facts),
    };
  });
}
