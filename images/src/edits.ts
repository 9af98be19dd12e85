/** A cut: the bytes from `start` to before `end` are replaced. */
export type Edit = { start: number; end: number; bytes?: Buffer };

/** Adds an edit after all others. Adjacent cuts become one. */
export function addEdit(edits: Edit[], edit: Edit): void {
  const last = edits.at(-1);
  const isAdjacent = last?.end === edit.start && last.bytes === undefined && edit.bytes === undefined;
  if (isAdjacent) last.end = edit.end;
  else if (edit.start < edit.end) edits.push(edit);
}

/** Returns the file with these edits, in their order: a copy, or the file itself if there is none. */
export function applyEdits(file: Buffer, edits: readonly Edit[]): Buffer {
  if (edits.length === 0) return file;
  const edited = Buffer.allocUnsafeSlow(file.length + growthOf(edits));
  let [length, from] = [0, 0];
  for (const { start, end, bytes } of edits) {
    length += file.copy(edited, length, from, start);
    length += bytes?.copy(edited, length) ?? 0;
    from = end;
  }
  file.copy(edited, length, from);
  return edited;
}

/** Returns the bytes that edits add to a file; negative if they make it shorter. */
export const growthOf = (edits: readonly Edit[]): number =>
  edits.reduce((sum, { start, end, bytes }) => sum + (bytes?.length ?? 0) - (end - start), 0);
