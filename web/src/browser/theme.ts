// Runs before the first paint, so that a chosen theme does not flash: a classic script in the head.
{
  const storageKey = "faceline-theme";
  const root = document.documentElement;
  const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

  // Storage may be blocked. Then the choice lasts as long as the page.
  const stored = (): string | null => {
    try {
      return localStorage.getItem(storageKey);
    } catch {
      return null;
    }
  };

  const store = (theme: string | undefined): void => {
    try {
      if (theme === undefined) localStorage.removeItem(storageKey);
      else localStorage.setItem(storageKey, theme);
    } catch {
      return;
    }
  };

  const systemTheme = (): "dark" | "light" => (systemIsDark.matches ? "dark" : "light");
  const currentTheme = (): string => root.dataset["theme"] ?? systemTheme();

  const apply = (theme: string | undefined): void => {
    if (theme === undefined) delete root.dataset["theme"];
    else root.dataset["theme"] = theme;
  };

  const chosen = stored();
  if (chosen === "dark" || chosen === "light") apply(chosen);

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector<HTMLButtonElement>("#theme");
    if (button === null) return;
    const name = (): void => {
      const other = currentTheme() === "dark" ? "light" : "dark";
      button.setAttribute("aria-label", `Use the ${other} theme`);
      button.title = `Use the ${other} theme`;
    };
    button.addEventListener("click", () => {
      const other = currentTheme() === "dark" ? "light" : "dark";
      // Back to the system's theme, so that the page follows it again.
      const choice = other === systemTheme() ? undefined : other;
      apply(choice);
      store(choice);
      name();
    });
    systemIsDark.addEventListener("change", name);
    name();
    button.hidden = false;
  });
}
