import { readFileSync } from "node:fs";

/** The document is committed, so that starting costs nothing and a change of the API shows in a diff. */
export const openApiFile = new URL("../../openapi.json", import.meta.url);

/** The OpenAPI document of the service, as JSON. */
export const openApiText = readFileSync(openApiFile, "utf8");
