import { tester as words } from "../../words/tester-en.ts";
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
    find(HTMLImageElement, "img", button).alt = words.image.sample(name!, slot?.title);
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
