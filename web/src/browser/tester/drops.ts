/** Takes files that are dropped on an element. */
export function acceptDrops(target: HTMLElement, files: (files: File[]) => void): void {
  target.addEventListener("dragover", (event) => {
    event.preventDefault();
    target.classList.add("over");
  });
  target.addEventListener("dragleave", () => target.classList.remove("over"));
  target.addEventListener("drop", (event) => {
    event.preventDefault();
    target.classList.remove("over");
    files([...(event.dataTransfer?.files ?? [])]);
  });
}

/** Takes images that are pasted anywhere. A file that is dropped beside a slot leaves the page as it is. */
export function acceptPastes(file: (file: File) => void): void {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => event.preventDefault());
  addEventListener("paste", (event) => {
    const image = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
    if (image === undefined) return;
    event.preventDefault();
    file(image);
  });
}
