/**
 * Files that the page loads, by their paths in this package. Under /live/ a path stays as it is, so that the
 * imports of a module find each other.
 */
export const assetPaths = [
  "design/icon.svg",
  "design/tokens.css",
  "live/page.html",
  "live/style.css",
  "live/browser/main.ts",
  "live/browser/patch.ts",
  "live/browser/poll.ts",
  "live/browser/token.ts",
  "live/view/bars.ts",
  "live/recent/slots.ts",
  "live/view/batcher.ts",
  "live/view/card.ts",
  "live/view/format.ts",
  "live/view/inference.ts",
  "live/view/ingress.ts",
  "live/view/lane.ts",
  "live/view/node.ts",
  "live/view/page.ts",
  "live/view/points.ts",
  "live/view/process.ts",
  "live/view/sparkline.ts",
  "live/view/process-status.ts",
  "live/view/words.ts",
  "plot/scale.ts",
] as const;
