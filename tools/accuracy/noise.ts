import { mulberry32 } from "@faceline/inference/testing/mulberry32";

/** Adds Gaussian noise to every value, the same every time. Values are clamped to 0 to 255. */
export function withNoise(values: Uint8Array, deviation: number): Uint8Array {
  const next = mulberry32(values.length);
  // Rounds and clamps.
  const noisy = new Uint8ClampedArray(values.length);
  for (let i = 0; i < values.length; i += 2) {
    // Box-Muller transform: two independent numbers at a time.
    const radius = deviation * Math.sqrt(-2 * Math.log(1 - next()));
    const angle = 2 * Math.PI * next();
    noisy[i] = values[i]! + radius * Math.cos(angle);
    if (i + 1 < values.length) noisy[i + 1] = values[i + 1]! + radius * Math.sin(angle);
  }
  return new Uint8Array(noisy.buffer);
}
