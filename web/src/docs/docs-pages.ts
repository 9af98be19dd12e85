import type { Page } from "../page.ts";
import { docsPage } from "./docs-page.ts";
import { batchingGuide } from "./guides/batching.ts";
import { errorsGuide } from "./guides/errors.ts";
import { imagesGuide } from "./guides/images.ts";
import { keysGuide } from "./guides/keys.ts";
import { limitsGuide } from "./guides/limits.ts";
import { privacyGuide } from "./guides/privacy.ts";
import { quickStart } from "./guides/quick-start.ts";
import { runningGuide } from "./guides/running.ts";
import { thresholdsGuide } from "./guides/thresholds.ts";
import { chapterPages, operatingGuide } from "./operating/chapter-pages.ts";
import { referencePage } from "./reference/page.ts";

/** In the order in which a newcomer would read them. */
const guides = [
  quickStart,
  keysGuide,
  imagesGuide,
  thresholdsGuide,
  errorsGuide,
  limitsGuide,
  batchingGuide,
  privacyGuide,
  runningGuide,
  operatingGuide,
];

export const docsPages: Page[] = [referencePage, ...guides, ...chapterPages].map((page) =>
  docsPage(page, { guides, chapters: chapterPages }),
);
