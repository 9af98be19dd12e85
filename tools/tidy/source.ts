import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { repository } from "@faceline/deploy/launcher/state-folder";

// The repository's files as text, for the tests of this folder. Paths are relative to the repository.

const workspaces: string[] = JSON.parse(read("package.json")).workspaces;
/** The folders of the npm workspaces. */
export const packages = globSync(
  workspaces.map((folder) => `${folder}/package.json`),
  { cwd: repository },
)
  .map(dirname)
  .toSorted();

const notOurs = ["**/node_modules", "**/.turbo", ".git", ".faceline", ".tsbuild"];

/** All files that match, sorted, without installed packages, build output and state. */
export const findFiles = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: repository, exclude: notOurs }).toSorted();

export function read(file: string): string {
  return readFileSync(join(repository, file), "utf8");
}

/** Returns a document without its blocks of code. */
export const withoutBlocks = (markdown: string): string => markdown.replaceAll(/^```.*?^```$/gms, "");

/** Returns the anchors that GitHub gives to the headings of a document. */
export const anchorsOf = (markdown: string): string[] =>
  [...withoutBlocks(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/** All TypeScript and JavaScript of the repository. */
export const sourceFiles = (): string[] => findFiles(`{${packages.join()}}/**/*.{ts,mjs}`);

export const isTest = (file: string): boolean => /\.(test|bench)\.ts$/.test(file);

/** The imports and re-exports of a file that point to files of the repository. */
export function importsOf(file: string): Import[] {
  const text = read(file);
  const statements = text.matchAll(
    /^(?:import|export)\s+(?:type\s+)?(?:([\w*\s{},]+?)\s+from\s+)?"([^"]+)"/gm,
  );
  const dynamic = text.matchAll(/()\bimport\("([^"]+)"\)/g);
  return [...statements, ...dynamic].flatMap(([, clause = "", specifier = ""]) => {
    const target = resolveSpecifier(specifier, file);
    return target === undefined ? [] : [{ target, names: namesIn(clause) }];
  });
}

/**
 * The names that a file exports of its own, re-exports aside. A schema and a type of the same name count
 * once.
 */
export function exportsOf(file: string): string[] {
  const text = read(file);
  const declarations = text.matchAll(
    /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm,
  );
  const lists = text.matchAll(/^export (?:type )?\{([^}]*)\}(?! from)/gm);
  const listed = [...lists].flatMap(([, list = ""]) =>
    list.split(",").map((each) => each.trim().split(" ").at(-1)!),
  );
  return [...new Set([...[...declarations].map(([, name]) => name!), ...listed])].filter(
    (name) => name !== "",
  );
}

/** Files whose path is a string in this file: worker threads and child processes. */
export function pathsIn(file: string): string[] {
  const strings = read(file).matchAll(/"((?:\.{1,2}\/)?[\w./-]+\.ts)"/g);
  const paths = [...strings].map(([, path = ""]) => normalize(join(dirname(file), path)));
  return paths.filter((path) => sources.has(path));
}

function resolveSpecifier(specifier: string, from: string): string | undefined {
  if (specifier.startsWith(".")) return normalize(join(dirname(from), specifier));
  const [, name, subpath] = /^@faceline\/([\w-]+)\/(.+)$/.exec(specifier) ?? [];
  const folder = packages.find((each) => basename(each) === name);
  if (folder === undefined || subpath === undefined) return undefined;
  // As Node does: an exact key, else the pattern with the longest beginning.
  const exported = Object.entries(exportsField(folder)).toSorted(
    ([one], [other]) => other.length - one.length,
  );
  for (const [key, target] of exported) {
    const [before = "", after] = key.slice(2).split("*");
    if (after === undefined ? subpath === before : subpath.startsWith(before) && subpath.endsWith(after)) {
      const middle = subpath.slice(before.length, subpath.length - (after ?? "").length);
      return normalize(join(folder, target.replace("*", middle)));
    }
  }
  return undefined;
}

function exportsField(folder: string): Record<string, string> {
  return JSON.parse(read(`${folder}/package.json`)).exports ?? {};
}

/** `*` for all names: `import * as x`, `export * from`, and `import(…)`. */
function namesIn(clause: string): string[] {
  const [, list] = /\{([^}]*)\}/.exec(clause) ?? [];
  if (list === undefined) return ["*"];
  return list.split(",").map(
    (each) =>
      each
        .trim()
        .replace(/^type /, "")
        .split(" ")[0]!,
  );
}

const sources = new Set(sourceFiles());

type Import = { target: string; names: string[] };
