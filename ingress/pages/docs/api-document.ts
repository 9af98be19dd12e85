import { openApiText } from "../../src/endpoints/openapi.ts";
import type { OpenApi } from "./reference/document.ts";

// Covered by ./reference/reference.test.ts.

/** The document that the service serves at /openapi.json. */
export const apiDocument = JSON.parse(openApiText) as OpenApi;
