/**
 * Returns a function that finds the field that the sender of an unknown name meant, or undefined if none is
 * likely: for a name that is spelled differently (`modelName`), mistyped (`threshhold`), or that other
 * services have (`model`). A request that lacks its images or embeddings is rejected anyway, so their names
 * are found only if nothing else can be meant.
 */
export function likelyFieldOf(fields: readonly string[]): (name: string) => string | undefined {
  const candidates = fields.map((field) => ({ field, letters: lettersOf(field) }));
  return (name) => {
    if (!isPlainName(name)) return undefined;
    const sent = lettersOf(name);
    const meant = synonyms.get(sent);
    const isMeant = ({ field, letters }: { field: string; letters: string }) =>
      field === meant || sent === letters || (!inputs.has(field) && isTypoOf(sent, letters));
    return candidates.find(isMeant)?.field;
  };
}

const isTypoOf = (sent: string, letters: string): boolean =>
  isWithin(sent, letters, Math.min(2, Math.floor(letters.length / 4)));

/** Whether a name that was sent may be repeated in an error: nothing but short plain words may be. */
export const isPlainName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_-]{0,31}$/.test(name);

const inputs = new Set(["img", "img1", "img2", "vector", "candidates"]);

/** Names of other services and libraries, without what `lettersOf` removes. */
const synonyms = new Map([
  ["model", "model_name"],
  ["detector", "detector_backend"],
  ["backend", "detector_backend"],
  ["metric", "distance_metric"],
  ["similaritymetric", "distance_metric"],
  ["distancethreshold", "threshold"],
  ["similaritythreshold", "threshold"],
  ["tolerance", "threshold"],
  ["limit", "max_faces"],
  ["image1", "img1"],
  ["image2", "img2"],
  ["file1", "img1"],
  ["file2", "img2"],
]);

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, "");

/** Whether `edits` missing, added, changed or swapped letters turn `b` into `a`. */
function isWithin(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  if (same === a.length) return true;
  if (edits === 0) return false;
  const [x, y] = [a.slice(same), b.slice(same)];
  return (
    isWithin(x.slice(1), y, edits - 1) ||
    isWithin(x, y.slice(1), edits - 1) ||
    isWithin(x.slice(1), y.slice(1), edits - 1) ||
    (x[0] === y[1] && x[1] === y[0] && isWithin(x.slice(2), y.slice(2), edits - 1))
  );
}
