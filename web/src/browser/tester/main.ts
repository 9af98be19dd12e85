import type { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import { unreachable } from "../../tester/failure.ts";
// One script fewer to load than on the pages of documents.
import "../code.ts";
import { find } from "./element.ts";
import { Result } from "./result.ts";
import { Tester } from "./tester.ts";

// Opens the tester of the page.

const root = document.querySelector<HTMLElement>("#tester");
if (root !== null) {
  const result = new Result(find(HTMLElement, ".result", root), {
    keyNeeded: root.dataset["keysNeeded"] === "true",
  });
  const capabilities = await readCapabilities();
  if (capabilities !== undefined) await new Tester(root, result, capabilities).begin();
  else {
    result.showFailure(unreachable(navigator.onLine));
    addEventListener("online", () => location.reload(), { once: true });
  }
}

async function readCapabilities(): Promise<CapabilitiesResponse | undefined> {
  try {
    const response = await fetch("/capabilities");
    return response.ok ? ((await response.json()) as CapabilitiesResponse) : undefined;
  } catch {
    return undefined;
  }
}
