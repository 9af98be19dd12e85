import { readFileSync } from "node:fs";
import type { DocsPage } from "../docs-page.ts";
import { renderGuide } from "./guide-body.ts";

const folder = new URL("../../../../docs/using/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), "utf8");

/** Guides, with the order, titles and descriptions of the list in docs/using/README.md. */
export const guides: DocsPage[] = Array.from(
  read("README.md").matchAll(/^- \[(.+)\]\(([\w-]+)\.md\): (.+)$/gm),
  ([, title, name, description]) => {
    const markdown = read(`${name}.md`);
    return {
      path: `/docs/${name}`,
      title: title!,
      description: description!,
      body: (facts) => renderGuide(markdown, facts),
    };
  },
);
