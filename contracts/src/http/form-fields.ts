/** A form holds texts and files alone. In these fields a text is a number, as it never is in JSON. */
export const formNumbers: ReadonlySet<string> = new Set([
  "threshold",
  "max_faces",
  "face_index",
  "expand_percentage",
]);

/** These may stand in a form several times, and make a list. */
export const formLists: ReadonlySet<string> = new Set([
  "candidates",
  "target_vectors",
  "target_vector",
  "vectors",
  "vector_b",
]);
