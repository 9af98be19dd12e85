import { readFileSync } from "node:fs";
import * as z from "zod";

/**
 * A setting that names a file and whose value is the content of that file, without white space at its end:
 * for secrets and certificates, which do not belong into an environment. The file is read once, at the start.
 */
export const FileContent = z.string().transform((path, context) => {
  try {
    return readFileSync(path, "utf8").trimEnd();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    context.issues.push({ code: "custom", message: `the file cannot be read (${code})`, input: undefined });
    return z.NEVER;
  }
});
