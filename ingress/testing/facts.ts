import { readCatalogue } from "@faceline/models/catalogue";
import type { Facts } from "@faceline/web/facts";
import { HttpSettings } from "../src/config.ts";
import { requestLimits } from "../src/endpoints/capabilities.ts";
import { EnabledModels } from "../src/models/enabled-models.ts";
import { testerFacts } from "../src/tester/tester-settings.ts";

/** Returns the facts of a service with the default settings and the real catalogue. */
export async function testFacts(): Promise<Facts> {
  const settings = HttpSettings.parse({});
  const models = new EnabledModels(await readCatalogue(), settings);
  return {
    version: "0.1.0",
    publicUrl: "",
    keysNeeded: true,
    limits: requestLimits(settings, models),
    teamBodyBytesPerSecond: settings.TEAM_BODY_BYTES_PER_SECOND,
    models: models.embeddingModels,
    cards: Object.fromEntries(models.cards),
    detectors: models.detectors.map(({ name }) => name),
    tester: testerFacts(settings),
    accounts: true,
  };
}
