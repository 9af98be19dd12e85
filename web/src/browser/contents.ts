// Marks the section that is being read in the list of contents.

const links = new Map(
  [...document.querySelectorAll<HTMLAnchorElement>(".contents a")]
    .filter(({ pathname, hash }) => hash !== "" && pathname === location.pathname)
    .map((link) => [link.hash.slice(1), link]),
);

const sections = [...links.keys()]
  .map((id) => document.getElementById(id))
  .filter((section) => section !== null);

/** The last section that begins above this share of the window is the one that is being read. */
const readingLine = 0.3;

function markCurrent(): void {
  const line = innerHeight * readingLine;
  const current = sections.findLast((section) => section.getBoundingClientRect().top < line);
  for (const [id, link] of links) {
    if (id === current?.id) link.setAttribute("aria-current", "location");
    else link.removeAttribute("aria-current");
  }
}

let scheduled = false;
addEventListener(
  "scroll",
  () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      markCurrent();
    });
  },
  { passive: true },
);
markCurrent();

for (const list of document.querySelectorAll<HTMLDetailsElement>("details.contents")) {
  // Beside the text the list is open; above it, it opens on demand and closes once a section was chosen.
  const beside = matchMedia(list.matches(".on-page") ? "(min-width: 80rem)" : "(min-width: 64rem)");
  const openBeside = (): void => {
    list.open = beside.matches;
  };
  openBeside();
  // The list scrolls by itself beside the text: the page's own entry may stand below its end.
  const entry = list.querySelector<HTMLElement>('[aria-current="page"]');
  if (entry !== null) list.scrollTop = entry.offsetTop - list.clientHeight / 2;
  beside.addEventListener("change", openBeside);
  for (const link of list.querySelectorAll("a")) link.addEventListener("click", openBeside);
}
