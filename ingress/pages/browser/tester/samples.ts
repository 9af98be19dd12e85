import { find } from "./element.ts";
import { readSample } from "./picture.ts";
import type { Slot } from "./slot.ts";

// Covered by deploy/e2e/tester.e2e.test.ts.

/** Puts a sample where `slotFor` says, once its button is pressed. */
export function connectSamples(tester: HTMLElement, slotFor: () => Slot): void {
  for (const button of tester.querySelectorAll<HTMLButtonElement>(".sample")) {
    button.addEventListener("click", () => {
      void slotFor().take(() => readSample(button.dataset["picture"]!, fileName(button.dataset["name"]!)));
    });
  }
}

/** Shows a sample by its name, without a call: its answer is known. */
export async function showSample(tester: HTMLElement, name: string, slot: Slot): Promise<void> {
  const button = find(HTMLButtonElement, `.sample[data-name="${name}"]`, tester);
  await slot.take(() => readSample(button.dataset["picture"]!, fileName(name)), false);
}

const fileName = (name: string): string => `${name}.jpg`;
