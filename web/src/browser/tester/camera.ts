import { words } from "../../tester/words.ts";
import { find } from "./element.ts";

/**
 * Opens the camera in a dialog. Resolves to the image that was taken, or to undefined if the dialog was
 * closed. The camera is off again afterwards.
 */
export async function openCamera(): Promise<Blob | undefined> {
  const dialog = find(HTMLDialogElement, "dialog.camera");
  const video = find(HTMLVideoElement, "video", dialog);
  const take = find(HTMLButtonElement, ".take", dialog);
  const trouble = find(HTMLElement, ".trouble", dialog);
  const { promise: ended, resolve: end } = Promise.withResolvers<Blob | undefined>();
  const listeners = new AbortController();
  const { signal } = listeners;
  dialog.addEventListener("close", () => end(undefined), { signal });
  find(HTMLElement, ".close", dialog).addEventListener("click", () => dialog.close(), { signal });
  take.addEventListener("click", () => void frameOf(video).then(end), { signal });
  take.disabled = true;
  take.hidden = false;
  trouble.hidden = true;
  video.hidden = false;
  dialog.showModal();

  let stream: MediaStream | undefined;
  const opened = navigator.mediaDevices
    .getUserMedia({ video: { facingMode: "user", width: { ideal: 1_280 } } })
    .then(async (camera) => {
      stream = camera;
      // The dialog may have been closed before the visitor gave permission.
      if (signal.aborted) return stop(camera);
      video.srcObject = camera;
      await video.play();
      take.disabled = false;
    })
    .catch((error: unknown) => {
      trouble.textContent = troubleWords(error);
      trouble.hidden = false;
      video.hidden = true;
      take.hidden = true;
    });
  try {
    return await ended;
  } finally {
    listeners.abort();
    if (stream !== undefined) stop(stream);
    else void opened.then(() => stream && stop(stream));
    video.srcObject = null;
    dialog.close();
  }
}

const stop = (stream: MediaStream): void => {
  for (const track of stream.getTracks()) track.stop();
};

async function frameOf(video: HTMLVideoElement): Promise<Blob | undefined> {
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d")!.drawImage(video, 0, 0);
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  canvas.toBlob(resolve, "image/png");
  return (await promise) ?? undefined;
}

function troubleWords(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") return words.camera.denied;
  return name === "NotFoundError" ? words.camera.missing : words.camera.busy;
}
