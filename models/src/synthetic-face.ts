/**
 * Draws a face that belongs to nobody: px by px pixels, RGB. All networks take it for a face, so it replaces
 * a person's image where none may be used: to warm up the pipeline, to compare int8 with float, and to check
 * models that an operator adds. model-loader.test.ts and lanes.test.ts of inference fail if it is no longer a
 * face. `drawnPx`: the side of the drawing in the upper left corner of a black square, all of it by default.
 */
export function syntheticFace(px: number, drawnPx = px): Uint8Array {
  return draw(px, colourAt, drawnPx);
}

/** Another one, with a longer face and darker skin: for code that has to tell two faces apart. */
export function otherSyntheticFace(px: number): Uint8Array {
  return draw(px, (u, v) => {
    const [red, green, blue] = colourAt(1.15 * u, 0.85 * v);
    return [0.6 * red, 0.55 * green, 0.5 * blue];
  });
}

function draw(px: number, colour: (u: number, v: number) => Colour, drawnPx = px): Uint8Array {
  const pixels = new Uint8Array(3 * px * px);
  for (let y = 0; y < drawnPx; y++) {
    for (let x = 0; x < drawnPx; x++) {
      // In widths of the face, which is 1.3 high. Light falls from the upper left.
      const u = (x + 0.5) / drawnPx / faceShare - 0.5 / faceShare;
      const v = (y + 0.5) / drawnPx / faceShare - 0.5 / faceShare;
      pixels.set(colour(u, v), 3 * (y * px + x));
    }
  }
  return pixels;
}

/** The face's width as a share of the image's. */
const faceShare = 0.5;

type Colour = readonly [number, number, number];

function colourAt(u: number, v: number): Colour {
  let colour: Colour = [110 + 40 * v, 130 + 30 * v, 150];
  for (const { x, y, width, height, paint, edge = 0.15 } of features) {
    const distance = Math.sqrt(((u - x) / width) ** 2 + ((v - y) / height) ** 2);
    const share = Math.min(1, Math.max(0, (1 - distance) / edge));
    if (share > 0) colour = blend(colour, shaded(paint, u, v), share);
  }
  return colour;
}

function shaded([red, green, blue]: Colour, u: number, v: number): Colour {
  const light = 1 - 0.25 * (u * u * 4 + Math.max(0, v)) - 0.15 * u;
  return [red * light, green * light, blue * light];
}

function blend(a: Colour, b: Colour, share: number): Colour {
  return [0, 1, 2].map((i) => a[i]! + (b[i]! - a[i]!) * share) as unknown as Colour;
}

type Feature = { x: number; y: number; width: number; height: number; paint: Colour; edge?: number };

function onBothSides(feature: Feature): Feature[] {
  return [feature, { ...feature, x: -feature.x }];
}

const skin: Colour = [224, 178, 150];
const shade: Colour = [176, 124, 100];

/** Ellipses, painted one over the other. Half axes in widths of the face. */
const features: readonly Feature[] = [
  { x: 0, y: -0.12, width: 0.58, height: 0.66, paint: [60, 42, 32] },
  { x: 0, y: 0.75, width: 0.24, height: 0.4, paint: shade },
  { x: 0, y: 1.25, width: 1, height: 0.5, paint: [70, 80, 110] },
  { x: 0, y: 0.04, width: 0.48, height: 0.63, paint: skin, edge: 0.08 },
  ...onBothSides({ x: 0.2, y: -0.08, width: 0.13, height: 0.08, paint: shade, edge: 0.9 }),
  ...onBothSides({ x: 0.2, y: -0.19, width: 0.13, height: 0.03, paint: [66, 46, 36], edge: 0.5 }),
  ...onBothSides({ x: 0.2, y: -0.08, width: 0.09, height: 0.04, paint: [240, 236, 230], edge: 0.3 }),
  ...onBothSides({ x: 0.2, y: -0.08, width: 0.042, height: 0.042, paint: [40, 30, 26], edge: 0.3 }),
  { x: 0.03, y: 0.06, width: 0.06, height: 0.2, paint: [206, 158, 130], edge: 0.8 },
  { x: 0, y: 0.19, width: 0.11, height: 0.05, paint: shade, edge: 0.7 },
  ...onBothSides({ x: 0.05, y: 0.21, width: 0.025, height: 0.016, paint: [90, 56, 46], edge: 0.5 }),
  { x: 0, y: 0.38, width: 0.19, height: 0.055, paint: [178, 84, 82], edge: 0.3 },
  { x: 0, y: 0.375, width: 0.17, height: 0.009, paint: [92, 40, 40], edge: 0.5 },
];
