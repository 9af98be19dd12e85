import type { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { goneForLong, unreachable } from "../../tester/failure.ts";
import { useLocaleOf } from "../../tester/numbers.ts";
// One script fewer to load than on the pages of documents.
import "../code.ts";
import { find } from "./element.ts";
import { askUntil, readJson } from "./reach.ts";
import { Result } from "./result.ts";
import { Tester } from "./tester.ts";

// Opens the tester of the page.

const readCapabilities = () => readJson<CapabilitiesResponse>("/capabilities");

useLocaleOf(navigator.languages, document.documentElement.lang);
const root = find(HTMLElement, "#tester");
const keyNeeded = root.dataset["keysNeeded"] === "true";
const result = new Result(find(HTMLElement, ".result", root), { keyNeeded });
const capabilities = (await readCapabilities()) ?? (await waitForCapabilities());
if (capabilities !== undefined) new Tester(root, result, capabilities).begin();

async function waitForCapabilities(): Promise<CapabilitiesResponse | undefined> {
  result.showFailure(unreachable);
  const capabilities = await askUntil(readCapabilities);
  if (capabilities === undefined) result.showFailure(goneForLong);
  return capabilities;
}
