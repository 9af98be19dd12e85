import { writeFileSync } from "node:fs";
import { openApiFile } from "@faceline/contracts/http/open-api";
import { formatDocument, openApiDocument } from "./document.ts";

// Run by `npm run fix`: writes the committed document. Its diff is the review of a change of the API. Covered
// by ./document.test.ts, which compares the two.
writeFileSync(openApiFile, formatDocument(openApiDocument()));
