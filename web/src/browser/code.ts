// Code examples: the address of this service, one language for all of them, and buttons that copy.

const languageKey = "faceline-language";
const copiedShownMs = 2_000;

for (const address of document.querySelectorAll("[data-origin]")) address.textContent = location.origin;

const radios = [...document.querySelectorAll<HTMLInputElement>(".languages input")];

function choose(language: string): void {
  for (const radio of radios) radio.checked = radio.value === language;
}

function storedLanguage(): string | null {
  try {
    return localStorage.getItem(languageKey);
  } catch {
    return null;
  }
}

const language = storedLanguage();
if (radios.some(({ value }) => value === language)) choose(language!);

for (const radio of radios) {
  radio.addEventListener("change", () => {
    // The other examples change their height, so the one in use is scrolled back to its place.
    const top = radio.getBoundingClientRect().top;
    choose(radio.value);
    scrollBy({ top: radio.getBoundingClientRect().top - top, behavior: "instant" });
    try {
      localStorage.setItem(languageKey, radio.value);
    } catch {
      return;
    }
  });
}

const status = document.querySelector("#status");

for (const button of document.querySelectorAll<HTMLButtonElement>(".copy")) {
  const label = button.textContent;
  const panels = [...(button.closest(".code")?.querySelectorAll<HTMLElement>("pre") ?? [])];
  button.addEventListener("click", () => {
    const shown = panels.find((panel) => panel.offsetParent !== null);
    // A button outside of code copies the address of the page.
    navigator.clipboard.writeText(shown?.textContent ?? location.href).then(
      () => report(button, button.dataset["copied"]!, label),
      () => report(button, button.dataset["refused"]!, label),
    );
  });
  // The clipboard is only available over https and on localhost.
  button.hidden = navigator.clipboard === undefined;
}

/** Shows for a moment whether the copy succeeded, also to users of screen readers. */
function report(button: HTMLButtonElement, result: string, label: string): void {
  button.textContent = result;
  if (status !== null) status.textContent = result;
  setTimeout(() => {
    button.textContent = label;
    if (status !== null) status.textContent = "";
  }, copiedShownMs);
}
