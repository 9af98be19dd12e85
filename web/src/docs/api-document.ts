import { openApiText } from "@faceline/contracts/http/open-api";
import type { OpenApi } from "./reference/document.ts";

/** The document that the service serves at /openapi.json. */
export const apiDocument = JSON.parse(openApiText) as OpenApi;
