/**
 * Returns the folders of all packages that a workspace needs when it runs: paths of the lock file such as
 * `node_modules/zod` and `contracts`, sorted. Follows `dependencies`, `optionalDependencies` and peers that
 * are not optional, with Node's own search through the folders above. Leaves out the packages that are named
 * in `without`, and those that only they need. Throws if a package is not in the lock file.
 */
export function packageClosure(lock: Lock, workspace: string, without: ReadonlySet<string>): string[] {
  const needed = new Set([workspace]);
  // Also grows while it is iterated.
  for (const folder of needed) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      lock.packages[folder]!;
    const names = new Set([
      ...Object.keys(dependencies ?? {}),
      ...Object.keys(optionalDependencies ?? {}),
      ...Object.keys(peerDependencies ?? {}).filter(
        (name) => peerDependenciesMeta?.[name]?.optional !== true,
      ),
    ]);
    for (const name of names) {
      if (without.has(name)) continue;
      const found = findPackage(lock, folder, name);
      if (found !== undefined) needed.add(found);
      else if (optionalDependencies?.[name] === undefined)
        throw new Error(`${folder} needs ${name}, which package-lock.json does not have`);
    }
  }
  return [...needed].toSorted();
}

/** The folder of `name` as seen from `folder`; for a package of this repository, its own folder. */
function findPackage(lock: Lock, folder: string, name: string): string | undefined {
  for (let above = folder; ; above = above.slice(0, Math.max(0, above.lastIndexOf("/")))) {
    const path = above === "" ? `node_modules/${name}` : `${above}/node_modules/${name}`;
    const found = lock.packages[path];
    if (found !== undefined) return found.link === true ? found.resolved : path;
    if (above === "") return undefined;
  }
}

/** The part of package-lock.json, version 3, that is read here. */
export type Lock = { packages: Record<string, LockedPackage> };

type LockedPackage = {
  version?: string;
  link?: boolean;
  /** Folder in the repository of a package that is a link. */
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
