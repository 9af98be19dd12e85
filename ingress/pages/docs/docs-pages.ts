import type { Page } from "../page.ts";
import { docsPage } from "./docs-page.ts";
import { errorsGuide } from "./guides/errors.ts";
import { quickStart } from "./guides/quick-start.ts";
import { referencePage } from "./reference/page.ts";

// Covered by ../pages.test.ts.

/** In the order in which a newcomer would read them. */
const guides = [quickStart, errorsGuide];

export const docsPages: Page[] = [referencePage, ...guides].map((page) => docsPage(page, guides));
