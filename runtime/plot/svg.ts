// Marks of an SVG drawing as text, and the document around them. Strings in, text out.

/**
 * Returns an SVG document. `title` and `description` are read by screen readers, so the description must say
 * what the drawing shows. Colours are CSS variables: they follow the reader's light or dark scheme (on paper
 * the light one), and a page that contains the drawing can set `--plot-ink`, `--plot-muted`, `--plot-grid`,
 * `--plot-ground` and `--plot-1` to `--plot-6` itself. With `colours: "of the page"` it must: the drawing
 * then has no style element, which a strict Content-Security-Policy would block.
 */
export function svgDocument(frame: Frame, marks: readonly string[]): string {
  const { title, description, width, height, colours = "own" } = frame;
  const id = `plot-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
      `role="img" aria-labelledby="${id}-title ${id}-desc" class="plot" ` +
      `font-family="system-ui, 'Helvetica Neue', Arial, sans-serif" font-size="12">`,
    `<title id="${id}-title">${escapeXml(title)}</title>`,
    `<desc id="${id}-desc">${escapeXml(description)}</desc>`,
    ...(colours === "own" ? [ownColours] : []),
    rect({ x: 0.5, y: 0.5, width: width - 1, height: height - 1 }, colour.ground, {
      rx: 6,
      stroke: colour.grid,
    }),
    ...marks,
    "</svg>",
  ].join("\n")}\n`;
}

/** Text at its baseline. `anchor` says which part of it is at `x`; the default is its middle. */
export function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { anchor = "middle", weight = "normal", fill = colour.ink, size = 12 } = style;
  return element(
    "text",
    { x, y, "text-anchor": anchor, "font-weight": weight, "font-size": size, fill },
    escapeXml(content),
  );
}

export const line = (from: Point, to: Point, stroke: string, dashes?: string): string =>
  element("line", {
    x1: from[0],
    y1: from[1],
    x2: to[0],
    y2: to[1],
    stroke,
    "stroke-dasharray": dashes,
  });

const rect = (box: Box, fill: string, more: Attributes = {}): string =>
  element("rect", { ...box, fill, ...more });

export const polyline = (points: readonly Point[], stroke: string, dashes?: string): string =>
  element("polyline", {
    points: points.map(([x, y]) => `${rounded(x)},${rounded(y)}`).join(" "),
    fill: "none",
    stroke,
    "stroke-width": 2,
    "stroke-linejoin": "round",
    "stroke-dasharray": dashes,
  });

/** One row of names, each with a line in its colour and dashes. */
export function legend(names: readonly string[], at: Point): string[] {
  let [x] = at;
  const y = at[1] - 4;
  return names.flatMap((name, index) => {
    const ends: Point[] = [
      [x, y],
      [x + 22, y],
    ];
    const label = text(x + 28, at[1], name, { anchor: "start" });
    x += 52 + 6.6 * name.length;
    return [polyline(ends, seriesColour(index), seriesDashes(index)), label];
  });
}

/** Colour of a series. Readers with colour blindness can tell the colours apart (Okabe and Ito). */
export const seriesColour = (index: number): string => `var(--plot-${1 + (index % seriesMax)})`;

/** Dashes tell series apart without any colour: `undefined` is a solid line. */
export const seriesDashes = (index: number): string | undefined =>
  [undefined, "7 3", "2 3", "9 3 2 3", "12 4", "1 2"][index % seriesMax];

const seriesMax = 6;

export const colour = {
  ink: "var(--plot-ink)",
  muted: "var(--plot-muted)",
  grid: "var(--plot-grid)",
  ground: "var(--plot-ground)",
};

const light = {
  ink: "#1f2328",
  muted: "#59636e",
  grid: "#d8dee4",
  ground: "#ffffff",
  series: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56606b"],
};

const dark: typeof light = {
  ink: "#e6edf3",
  muted: "#9198a1",
  grid: "#3d444d",
  ground: "#0d1117",
  series: ["#56b4e9", "#e69f00", "#2fc99a", "#e2a3c7", "#f0e442", "#aeb7c1"],
};

const variables = ({ series, ...named }: typeof light): string =>
  [...Object.entries(named), ...series.map((value, index) => [`${index + 1}`, value])]
    .map(([name, value]) => `--plot-${name}:${value}`)
    .join(";");

const ownColours = `<style>.plot{${variables(light)}}@media screen and (prefers-color-scheme: dark){.plot{${variables(dark)}}}</style>`;

function element(name: string, attributes: Attributes, content?: string): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? rounded(value) : value}"`);
  const opening = `<${name}${written.join("")}`;
  return content === undefined ? `${opening}/>` : `${opening}>${content}</${name}>`;
}

/**
 * Rounds to a tenth of a pixel. Throws a RangeError for a number that is not finite: nobody would miss it.
 */
function rounded(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`A plot cannot show ${value}.`);
  return `${Math.round(value * 10) / 10}`;
}

/** Text as it stands in an XML or HTML document, in an attribute too. */
export const escapeXml = (content: string): string =>
  content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

type Frame = {
  title: string;
  description: string;
  width: number;
  height: number;
  colours?: ColourScheme | undefined;
};
export type ColourScheme = "own" | "of the page";
export type Point = readonly [x: number, y: number];
type Box = { x: number; y: number; width: number; height: number };
type Attributes = Record<string, string | number | undefined>;
type TextStyle = {
  anchor?: "start" | "middle" | "end";
  weight?: "normal" | "bold";
  fill?: string;
  size?: number;
};
