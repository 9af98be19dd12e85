import { words } from "../../tester/words.ts";
import { fill } from "../../words/fill.ts";
import { openCamera } from "./camera.ts";
import { acceptDrops } from "./drops.ts";
import { element } from "./element.ts";
import { FaceBoxes } from "./face-boxes.ts";
import { drawFaces, type FaceArea, type FaceMark } from "./overlay.ts";
import { cutFace, type Image, imageFrom, releaseImage, UnreadableImage } from "./image.ts";

/** A place for one image: dropped, pasted, chosen, taken with the camera, or a sample. */
export class Slot {
  readonly root: HTMLElement;
  readonly #events: SlotEvents;
  readonly #figure = element("figure", { class: "image" });
  readonly #preview = element("img", { alt: "" });
  readonly #overlay = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  readonly #boxes: FaceBoxes;
  readonly #note = element("p", { class: "note-of-slot" });
  readonly #words = element("p", { class: "faces" });
  readonly #quality = element("p", { class: "quality" });
  readonly #input = element("input", { type: "file", accept: "image/*", class: "visually-hidden" });
  readonly #heading = element("h2");
  readonly #chooser = element("span");
  readonly #person = element("input", {
    name: "person",
    maxlength: personCharactersMax,
    autocomplete: "off",
  });
  readonly #personLabel = element("label", { class: "person" }, words.image.person, this.#person);
  readonly #camera = element("button", { type: "button", class: "plain" }, words.image.camera);
  readonly #remove = element("button", { type: "button", class: "remove" }, "×");
  title: string = words.image.only;
  #image: Image | undefined;
  /** Faces of the image, if it has several. */
  #faces: FaceArea[] | undefined;
  areFacesKnown = false;
  #chosenFace: number | undefined;
  /** The chosen face as an image of its own. */
  #cut: Image | undefined;
  /** What was not accepted, or left out; "" for nothing. */
  refusal = "";
  /** Counts what was started: only the last one is shown. */
  #version = 0;
  isReading = false;

  constructor(events: SlotEvents) {
    this.#events = events;
    this.#boxes = new FaceBoxes((face) => events.faceChosen(face === this.#chosenFace ? undefined : face));
    this.#overlay.setAttribute("aria-hidden", "true");
    this.#remove.addEventListener("click", () => this.clear());
    this.#camera.addEventListener("click", () => void this.#takeImage());
    // The camera is only available over https and on localhost.
    this.#camera.hidden = navigator.mediaDevices === undefined;
    this.#input.addEventListener("change", () => events.files([...(this.#input.files ?? [])]));
    const choose = element("label", { class: "plain choose" }, this.#input, this.#chooser);
    const hint = element("p", { class: "hint" }, words.image.hint);
    this.#figure.append(this.#preview, this.#overlay, this.#boxes.root, this.#remove);
    this.root = element(
      "section",
      { class: "slot" },
      this.#heading,
      this.#figure,
      element("div", { class: "tools" }, hint, choose, this.#camera),
      this.#personLabel,
      this.#words,
      this.#quality,
      this.#note,
    );
    // The empty place is as large a target as it looks.
    this.root.addEventListener("click", ({ target }) => {
      const isControl = target instanceof Element && target.closest("button, label, input") !== null;
      if (!isControl && this.#image === undefined) this.#input.click();
    });
    acceptDrops(this.root, events.files);
    this.#show();
  }

  /**
   * Gives it a title, such as `first image`. `several`: more than one file may be chosen at once. A candidate
   * may have the name of a person: several with one name are references of them.
   */
  name(title: string, { isCandidate, several }: { isCandidate: boolean; several: boolean }): void {
    this.#personLabel.hidden = !isCandidate;
    this.#person.setAttribute("aria-label", `${words.image.person}: ${title}`);
    this.#input.multiple = several;
    this.title = title;
    const capitalized = title.charAt(0).toUpperCase() + title.slice(1);
    this.#heading.textContent = capitalized;
    this.root.setAttribute("aria-label", capitalized);
    this.#camera.setAttribute("aria-label", fill(words.image.cameraThe, { title }));
    this.#remove.setAttribute("aria-label", fill(words.image.removeThe, { title }));
    this.#describeImage();
  }

  get image(): Image | undefined {
    return this.#image;
  }

  /** Name of the person whom the image shows; "" for none. */
  get person(): string {
    return this.#person.value.trim();
  }

  /** Value that a request sends: one face of the image if it was cut out. */
  get sent(): Image | undefined {
    return this.#cut ?? this.#image;
  }

  /** Faces of the image, if several are known. */
  get faces(): FaceArea[] | undefined {
    return this.#faces;
  }

  get chosenFace(): number | undefined {
    return this.#chosenFace;
  }

  /** Whether it neither holds an image nor reads one. */
  get isEmpty(): boolean {
    return this.#image === undefined && !this.isReading;
  }

  /** Whether it shows a sample, and nothing else is about to come. */
  get isSample(): boolean {
    return this.#image?.sample !== undefined && !this.isReading;
  }

  /** Keeps the faces that were found in the image; undefined: not known. */
  set faces(areas: FaceArea[] | undefined) {
    this.areFacesKnown = areas !== undefined;
    this.#faces = areas !== undefined && areas.length > 1 ? areas : undefined;
    this.#giveUpFace();
  }

  /** Marks the faces of the image. `text` says how many there are, and which counted. */
  markFaces(marks: FaceMark[], text = ""): void {
    if (this.#image === undefined) return;
    drawFaces(this.#overlay, this.#image, marks);
    this.#boxes.show(this.#faces === undefined ? [] : marks, this.#image);
    this.#words.textContent = text;
  }

  /** Says what may affect the result of this image; "" for nothing. */
  showQuality(text: string): void {
    this.#quality.textContent = text;
  }

  /** Highlights a face of the response; undefined: none. */
  highlight(path: string | undefined): void {
    for (const face of this.#overlay.querySelectorAll<SVGGElement>("[data-path]")) {
      const within =
        path !== undefined && (path === face.dataset["path"] || path.startsWith(`${face.dataset["path"]}.`));
      face.classList.toggle("highlighted", within);
    }
  }

  /** Says what the service found wrong with this image; "" for nothing. What was not accepted comes first. */
  showFault(text: string): void {
    this.#note.textContent = this.refusal === "" ? text : this.refusal;
    this.root.classList.toggle("at-fault", this.#note.textContent !== "");
  }

  /** Says what was not accepted. It stays until the next image comes. */
  refuse(text: string): void {
    this.refusal = text;
    this.showFault("");
  }

  /** Accepts the image that `read` reads, unless another one comes meanwhile. */
  async take(read: () => Promise<Image>): Promise<void> {
    await this.#whileReading(read, (image) => this.#set(image));
  }

  /** Uses only one face of the image; undefined: all of them. `isCut`: as an image of its own. */
  async choose(face: number | undefined, isCut: boolean): Promise<void> {
    const image = this.#image!;
    const faces = this.#faces!;
    this.#giveUpFace();
    this.#chosenFace = face;
    if (face === undefined || !isCut) return this.#events.changed();
    await this.#whileReading(
      () => cutFace(image, faces, face),
      (cut) => {
        this.#cut = cut;
      },
    );
  }

  clear(): void {
    this.empty();
    this.#events.changed();
    this.#input.focus();
  }

  /** Removes the image, without counting as a change. */
  empty(): void {
    this.#version++;
    this.isReading = false;
    this.#set(undefined);
  }

  release(): void {
    this.#version++;
    this.#giveUpFace();
    if (this.#image !== undefined) releaseImage(this.#image);
  }

  /** A file that cannot be read leaves the slot empty, and says why. */
  async #whileReading(read: () => Promise<Image>, use: (image: Image) => void): Promise<void> {
    const version = ++this.#version;
    this.isReading = true;
    this.root.classList.add("reading");
    this.#events.changed();
    let refusal = "";
    try {
      const image = await read();
      if (version !== this.#version) return releaseImage(image);
      use(image);
    } catch (error) {
      if (version !== this.#version) return;
      if (!(error instanceof UnreadableImage)) throw error;
      refusal = error.message;
      this.#set(undefined);
    }
    this.isReading = false;
    this.root.classList.remove("reading");
    this.refuse(refusal);
    this.#events.changed();
  }

  #set(image: Image | undefined): void {
    this.release();
    this.faces = undefined;
    this.#image = image;
    this.refusal = "";
    this.root.classList.remove("reading");
    // Samples of a person have a name in common, such as ada-1 and ada-2.
    this.#person.value = image?.sample === undefined ? "" : image.name.replace(/-.*/, "");
    // The same file may be chosen again.
    this.#input.value = "";
    this.#show();
  }

  #giveUpFace(): void {
    if (this.#cut !== undefined) releaseImage(this.#cut);
    this.#cut = undefined;
    this.#chosenFace = undefined;
  }

  #show(): void {
    const image = this.#image;
    this.#overlay.replaceChildren();
    this.#boxes.show([], { width: 1, height: 1 });
    this.#words.textContent = "";
    this.showQuality("");
    this.showFault("");
    this.root.classList.toggle("filled", image !== undefined);
    this.#preview.hidden = image === undefined;
    this.#remove.hidden = image === undefined;
    this.#describeImage();
    if (image === undefined) return this.#preview.removeAttribute("src");
    this.#preview.src = image.address;
    this.#preview.width = image.width;
    this.#preview.height = image.height;
  }

  #describeImage(): void {
    const { title } = this;
    const name = this.#image?.name;
    const { choose, chooseThe, replace, replaceThe, shown } = words.image;
    this.#chooser.textContent = name === undefined ? choose : replace;
    this.#input.setAttribute("aria-label", fill(name === undefined ? chooseThe : replaceThe, { title }));
    this.#preview.alt = name === undefined ? "" : fill(shown, { title, name });
  }

  async #takeImage(): Promise<void> {
    const file = await openCamera();
    if (file !== undefined) await this.take(() => imageFrom(file, "camera.jpg"));
  }
}

/** As in `person` of a candidate of /compare. */
const personCharactersMax = 256;

type SlotEvents = {
  /** The image has changed, or another one is being read. */
  changed(): void;
  /** Files that were chosen or dropped here. */
  files(files: File[]): void;
  /** The box of a face was clicked; undefined: it was the chosen one. */
  faceChosen(face: number | undefined): void;
};
