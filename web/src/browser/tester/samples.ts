import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import { find } from "./element.ts";
import { sampleFrom } from "./image.ts";
import type { Slot } from "./slot.ts";

/** Puts a sample where `slotFor` says, once its button is pressed. */
export function connectSamples(tester: HTMLElement, slotFor: () => Slot): void {
  for (const button of tester.querySelectorAll<HTMLButtonElement>(".sample")) {
    button.addEventListener("click", () => void slotFor().take(() => sampleOf(button)));
  }
}

/** Marks the samples that are shown, and says where. */
export function markSamples(tester: HTMLElement, slots: readonly Slot[]): void {
  for (const button of tester.querySelectorAll<HTMLButtonElement>(".sample")) {
    const { name, image } = button.dataset;
    const slot = slots.find((each) => each.image?.sample === image);
    button.classList.toggle("shown", slot !== undefined);
    const { sample, shownSample } = words.image;
    find(HTMLImageElement, "img", button).alt =
      slot === undefined
        ? fill(sample, { name: name! })
        : fill(shownSample, { name: name!, title: slot.title });
  }
}

/** Shows a sample by its name. */
export async function showSample(tester: HTMLElement, name: string, slot: Slot): Promise<void> {
  const button = find(HTMLButtonElement, `.sample[data-name="${name}"]`, tester);
  await slot.take(() => sampleOf(button));
}

function sampleOf({ dataset }: HTMLButtonElement) {
  const addresses = { image: dataset["image"]!, preview: dataset["preview"]! };
  return sampleFrom(addresses, `${dataset["name"]!}.jpg`);
}
