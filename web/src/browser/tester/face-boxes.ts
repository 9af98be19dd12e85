import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import { element } from "./element.ts";
import type { FaceArea, FaceMark } from "./overlay.ts";

/** The boxes of an image's faces as buttons: a face is chosen by clicking its box, or by keyboard. */
export class FaceBoxes {
  readonly root = element("div", { class: "boxes" });
  readonly #choose: (face: number) => void;
  #areas: FaceArea[] = [];

  constructor(choose: (face: number) => void) {
    this.#choose = choose;
  }

  /** Shows a box for each face; none for a single one. Boxes of the same faces stay, with the focus. */
  show(marks: FaceMark[], image: { width: number; height: number }): void {
    const areas = marks.length > 1 ? marks.map(({ area }) => area) : [];
    const isSame =
      areas.length === this.#areas.length && areas.every((area, face) => area === this.#areas[face]);
    if (!isSame) {
      this.root.style.setProperty("--ratio", String(image.width / image.height));
      this.root.replaceChildren(...areas.map((area, face) => this.#box(area, face, image)));
    }
    this.#areas = areas;
    for (const [face, box] of [...this.root.querySelectorAll("button")].entries()) {
      box.ariaPressed = String(marks[face]!.counted);
      box.dataset["path"] = marks[face]!.path;
    }
  }

  #box({ x, y, w, h }: FaceArea, face: number, { width, height }: { width: number; height: number }) {
    const label = fill(words.faces.use, { face: face + 1 });
    const box = element("button", { type: "button", class: "box", "aria-label": label });
    const percent = (part: number, all: number): string => `${(100 * part) / all}%`;
    box.style.left = percent(x + w / 2, width);
    box.style.top = percent(y + h / 2, height);
    box.style.width = percent(w, width);
    box.style.height = percent(h, height);
    box.addEventListener("click", () => this.#choose(face));
    return box;
  }
}
