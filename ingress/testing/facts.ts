import { readCatalogue } from "@faceline/models/catalogue";
import type { Facts } from "@faceline/web/facts";
import { HttpSettings } from "../src/config.ts";
import { requestLimits } from "../src/endpoints/capabilities.ts";
import { LoadedModels } from "../src/models/loaded-models.ts";
import { testerFacts } from "../src/tester/tester-settings.ts";

/** Returns the facts of a service with the default settings and the real catalogue. */
export async function testFacts(): Promise<Facts> {
  const settings = HttpSettings.parse({});
  const { enabled: models, cards } = new LoadedModels(await readCatalogue(), settings);
  return {
    version: "0.1.0",
    publicUrl: "",
    keysNeeded: true,
    limits: requestLimits(settings, models),
    teamBodyBytesPerSecond: settings.TEAM_BODY_BYTES_PER_SECOND,
    models: models.embeddingModels,
    cards: Object.fromEntries(cards),
    detectors: models.detectors.map(({ name }) => name),
    tester: testerFacts(settings),
    accounts: true,
  };
}
