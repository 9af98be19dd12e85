/** A drawing on a ground of its own: it reads the same on a light page and on a dark one. */
export function drawing(size: { width: number; height: number }, title: string, marks: string[]): string {
  const { width, height } = size;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, 'Helvetica Neue', Arial, sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6" fill="#ffffff" stroke="#d0d7de"/>`,
    ...marks,
    "</svg>",
  ].join("\n")}\n`;
}

export function text(x: number, y: number, words: string, style: TextStyle = {}): string {
  const { anchor = "middle", weight = "normal", fill = ink, size = 12 } = style;
  return `<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" font-weight="${weight}" font-size="${size}" fill="${fill}">${escaped(words)}</text>`;
}

export function line(from: Point, to: Point, stroke: string, dashes = ""): string {
  return `<line x1="${short(from[0])}" y1="${short(from[1])}" x2="${short(to[0])}" y2="${short(to[1])}" stroke="${stroke}"${dashes === "" ? "" : ` stroke-dasharray="${dashes}"`}/>`;
}

export const box = (at: Point, size: Point, fill: string): string =>
  `<rect x="${short(at[0])}" y="${short(at[1])}" width="${short(size[0])}" height="${short(size[1])}" fill="${fill}"/>`;

export const path = (points: Point[], stroke: string): string =>
  `<polyline points="${points.map(([x, y]) => `${short(x)},${short(y)}`).join(" ")}" fill="none" stroke="${stroke}" stroke-width="2" stroke-linejoin="round"/>`;

/** Names and their colours in one line. */
export function legend(entries: { name: string; colour: string }[], at: Point): string[] {
  let [x] = at;
  return entries.flatMap(({ name, colour }) => {
    const marks = [box([x, at[1] - 9], [12, 10], colour), text(x + 17, at[1], name, { anchor: "start" })];
    x += 40 + 6.6 * name.length;
    return marks;
  });
}

export const ink = "#1f2328";
export const faint = "#d8dee4";
export const grey = "#59636e";

/** Told apart also by those who see few colours (Okabe and Ito). */
export const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

const short = (value: number): string => `${Math.round(value * 10) / 10}`;

const escaped = (words: string): string =>
  words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export type Point = readonly [x: number, y: number];

type TextStyle = {
  anchor?: "start" | "middle" | "end";
  weight?: "normal" | "bold";
  fill?: string;
  size?: number;
};
