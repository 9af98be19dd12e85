import type { Facts } from "../../facts.ts";
import type { Html } from "../../html.ts";
import { apiDocument } from "../api-document.ts";
import type { DocsPage } from "../docs-page.ts";
import { originOf } from "../highlight.ts";
import { reference } from "./reference.ts";

export const referencePage: DocsPage = {
  path: "/docs",
  title: "Reference",
  description: "Every call of the API, with its fields, limits, failures and examples.",
  body: (facts: Facts): Html =>
    reference({ document: apiDocument, origin: originOf(facts), keysNeeded: facts.keysNeeded }),
};
