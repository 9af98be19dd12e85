/** Form fields whose text is converted to a number. In JSON, a text in these fields is an error. */
export const formNumbers: ReadonlySet<string> = new Set([
  "threshold",
  "max_faces",
  "face_index",
  "expand_percentage",
]);

/** Form fields that may be repeated. Their values become a list. */
export const formLists: ReadonlySet<string> = new Set([
  "candidates",
  "target_vectors",
  "target_vector",
  "vectors",
  "vector_b",
]);
