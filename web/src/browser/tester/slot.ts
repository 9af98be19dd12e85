import { openCamera } from "./camera.ts";
import { element } from "./element.ts";
import { drawFaces, type FaceMark } from "./overlay.ts";
import { type Picture, pictureFrom, releasePicture, UnreadablePicture } from "./picture.ts";

/** A place for one picture: dropped, chosen, taken or a sample. */
export class Slot {
  readonly root: HTMLElement;
  #title = "picture";
  readonly #changed: () => void;
  readonly #figure = element("figure", { class: "picture" });
  readonly #image = element("img", { alt: "" });
  readonly #overlay = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  /** Why the picture at hand is not the one that was wanted last; "" for nothing. */
  #failure = "";
  /** Fault that the service found with the picture; "" for none. */
  #fault = "";
  readonly #note = element("p", { class: "note-of-slot", role: "status" });
  readonly #faces = element("p", { class: "faces" });
  readonly #quality = element("p", { class: "quality" });
  readonly #input = element("input", { type: "file", accept: "image/*", class: "visually-hidden" });
  readonly #heading = element("h2");
  readonly #camera = element("button", { type: "button", class: "plain" }, "Camera");
  readonly #remove = element("button", { type: "button", class: "remove" }, "×");
  readonly #files: (files: File[]) => void;
  #picture: Picture | undefined;
  /** Counts the pictures that were begun: only the last one is shown. */
  #version = 0;

  /** `changed` runs after its picture has changed; `files` takes what was chosen or dropped here. */
  constructor({ changed, files }: { changed: () => void; files: (files: File[]) => void }) {
    this.#changed = changed;
    this.#files = files;
    this.#overlay.setAttribute("aria-hidden", "true");
    this.#remove.addEventListener("click", (event) => {
      // The place below it would open a file dialog.
      event.stopPropagation();
      this.clear();
    });
    this.#camera.addEventListener("click", () => void this.#takePicture());
    // There is a camera only over https and on localhost.
    this.#camera.hidden = navigator.mediaDevices === undefined;
    this.#input.addEventListener("change", () => this.#files([...(this.#input.files ?? [])]));
    // The empty place is as large a target as it looks.
    this.#figure.addEventListener("click", () => this.#picture === undefined && this.#input.click());
    const choose = element("label", { class: "plain choose" }, this.#input, element("span", {}, "Choose"));
    const hint = element("p", { class: "hint" }, "Drop or paste a picture here");
    this.#figure.append(hint, this.#image, this.#overlay, this.#remove);
    this.root = element(
      "section",
      { class: "slot" },
      this.#heading,
      this.#figure,
      element("div", { class: "tools" }, choose, this.#camera),
      this.#faces,
      this.#quality,
      this.#note,
    );
    this.#acceptDrops();
    this.#show();
  }

  /** Gives it a title, such as `first picture`. `several`: more than one file may be chosen at once. */
  name(title: string, several: boolean): void {
    this.#input.multiple = several;
    this.#title = title;
    const capitalized = title.charAt(0).toUpperCase() + title.slice(1);
    this.#heading.textContent = capitalized;
    this.root.setAttribute("aria-label", capitalized);
    this.#input.setAttribute("aria-label", `Choose the ${title}`);
    this.#camera.setAttribute("aria-label", `Camera: take the ${title}`);
    this.#remove.setAttribute("aria-label", `Remove the ${title}`);
    this.#describeImage();
  }

  get title(): string {
    return this.#title;
  }

  get picture(): Picture | undefined {
    return this.#picture;
  }

  /** Neither holds a picture nor reads one. */
  get isEmpty(): boolean {
    return this.#picture === undefined && !this.#isReading;
  }

  /** Shows a sample, and nothing else is about to come. */
  get isSample(): boolean {
    return this.#picture?.sample !== undefined && !this.#isReading;
  }

  get #isReading(): boolean {
    return this.root.classList.contains("reading");
  }

  /** Marks the faces of the picture. `words` say how many there are, and which counted. */
  markFaces(faces: FaceMark[], words: (Node | string)[] = []): void {
    if (this.#picture === undefined) return;
    drawFaces(this.#overlay, this.#picture, faces);
    this.#faces.replaceChildren(...words);
  }

  /** Words below the picture. */
  describe(words: (Node | string)[]): void {
    this.#faces.replaceChildren(...words);
  }

  /** Says what may spoil the result of this picture; "" for nothing. */
  showQuality(text: string): void {
    this.#quality.textContent = text;
  }

  /** Lets a face of the reply stand out; undefined: none. */
  highlight(path: string | undefined): void {
    for (const face of this.#overlay.querySelectorAll<SVGGElement>("[data-path]")) {
      const within =
        path !== undefined && (path === face.dataset["path"] || path.startsWith(`${face.dataset["path"]}.`));
      face.classList.toggle("highlighted", within);
    }
  }

  /** Says what the service found wrong with this picture; "" for nothing. */
  showFault(text: string): void {
    this.#fault = text;
    this.#showNote();
  }

  /** Says what was not taken. It stays until the next picture comes. */
  showFailure(text: string): void {
    this.#failure = text;
    this.#showNote();
  }

  #showNote(): void {
    this.#note.textContent = [this.#fault, this.#failure].filter((text) => text !== "").join(" ");
    this.root.classList.toggle("at-fault", this.#note.textContent !== "");
  }

  /**
   * Takes the picture that `read` reads, unless another one comes meanwhile. If it cannot be read, the
   * picture before it and its answer stay.
   */
  async take(read: () => Promise<Picture>, isChange = true): Promise<void> {
    const version = ++this.#version;
    this.showFailure("");
    this.root.classList.add("reading");
    try {
      const picture = await read();
      if (version !== this.#version) return releasePicture(picture);
      this.#set(picture);
      if (isChange) this.#changed();
    } catch (error) {
      if (version !== this.#version) return;
      if (!(error instanceof UnreadablePicture)) throw error;
      // The same file may be chosen again.
      this.#input.value = "";
      this.showFailure(error.message);
    } finally {
      if (version === this.#version) this.root.classList.remove("reading");
    }
  }

  clear(): void {
    this.#version++;
    this.#set(undefined);
    this.#changed();
    this.#input.focus();
  }

  /** Takes the picture away, and is not a change of its own. */
  empty(): void {
    this.#version++;
    this.#set(undefined);
  }

  release(): void {
    this.#version++;
    if (this.#picture !== undefined) releasePicture(this.#picture);
  }

  #set(picture: Picture | undefined): void {
    const before = this.#picture;
    // The whole picture may come back.
    if (before !== undefined && before !== picture?.whole) releasePicture(before);
    if (before?.whole !== undefined && before.whole !== picture) releasePicture(before.whole);
    this.#picture = picture;
    this.#fault = "";
    this.showFailure("");
    // Also where a picture that was being read is not wanted any more.
    this.root.classList.remove("reading");
    this.#input.value = "";
    this.#show();
  }

  #show(): void {
    const picture = this.#picture;
    this.#overlay.replaceChildren();
    this.#faces.replaceChildren();
    this.showQuality("");
    this.root.classList.toggle("filled", picture !== undefined);
    this.#image.hidden = picture === undefined;
    this.#remove.hidden = picture === undefined;
    if (picture === undefined) return this.#image.removeAttribute("src");
    this.#image.src = picture.address;
    this.#describeImage();
    this.#image.width = picture.width;
    this.#image.height = picture.height;
  }

  #describeImage(): void {
    this.#image.alt = this.#picture === undefined ? "" : `The ${this.#title}: ${this.#picture.name}`;
  }

  async #takePicture(): Promise<void> {
    const file = await openCamera();
    if (file !== undefined) await this.take(() => pictureFrom(file, "camera.jpg"));
  }

  #acceptDrops(): void {
    this.root.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.root.classList.add("over");
    });
    this.root.addEventListener("dragleave", () => this.root.classList.remove("over"));
    this.root.addEventListener("drop", (event) => {
      event.preventDefault();
      this.root.classList.remove("over");
      this.#files([...(event.dataTransfer?.files ?? [])]);
    });
  }
}
