import { writeFileSync } from "node:fs";
import { openApiDocument } from "./document.ts";
import { snapshotFile, snapshotOf } from "./snapshot.ts";

/** Writes the snapshot anew, after the API has changed on purpose. */
writeFileSync(snapshotFile, snapshotOf(openApiDocument()));
