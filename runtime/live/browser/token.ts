/**
 * The operators' token: typed in by the reader, and kept for this tab alone. Nothing but requests of this
 * page to its own process holds it.
 */
export function readToken(): string | undefined {
  return sessionStorage.getItem(storageKey) ?? undefined;
}

/** Shows the field for a token; `fault` says what was wrong with the last one. */
export function askForToken(fault: string | undefined): void {
  const { form, field, faultLine } = parts();
  if (form.hidden) {
    form.hidden = false;
    field.focus();
  }
  const words = fault ?? "";
  if (faultLine.textContent !== words) faultLine.textContent = words;
}

export function hideTokenField(): void {
  const { form, field } = parts();
  form.hidden = true;
  field.value = "";
}

/** Calls `onToken` when the reader has typed one in. */
export function listenForToken(onToken: () => void): void {
  const { form, field } = parts();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(storageKey, field.value.trim());
    onToken();
  });
}

const storageKey = "faceline-operators-token";

function parts() {
  return {
    form: document.getElementById("token") as HTMLFormElement,
    field: document.getElementById("token-field") as HTMLInputElement,
    faultLine: document.getElementById("token-fault")!,
  };
}
