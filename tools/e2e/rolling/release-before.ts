import { readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Checkout, openCheckout } from "@faceline/bench/against/checkout";
import { capture } from "@faceline/deploy/launcher/capture";
import { repository } from "@faceline/deploy/launcher/state-folder";

/** The version whose messages are recorded: that of the release before this code. */
export const versionBefore = readdirSync(join(repository, "tools/releases/recorded"))[0]!.replace(
  /\.json$/,
  "",
);

/**
 * Returns the commit of the release before: that of its tag, or where the clone has no tags, that with its
 * message. Undefined where the history does not reach back to it.
 */
export async function commitOfReleaseBefore(): Promise<string | undefined> {
  const git = async (...args: string[]) =>
    (await capture("git", ["-C", repository, ...args]).catch(() => "")).trim();
  const subject = `^Release ${versionBefore.replaceAll(".", "\\.")}$`;
  const tagged = await git("rev-parse", "--verify", "--quiet", `v${versionBefore}^{commit}`);
  return tagged || (await git("log", "-1", "--format=%H", "--grep", subject)) || undefined;
}

/** Checks a commit out into a folder, with its packages. It is removed at the end. */
export async function checkOutWithPackages(
  commit: string,
  folder: string,
): Promise<Checkout & AsyncDisposable> {
  const checkout = await openCheckout(commit, folder);
  try {
    await capture("npm", ["ci", "--omit=dev", "--ignore-scripts", "--prefer-offline", "--loglevel=error"], {
      cwd: checkout.path,
      // npm must not run on the Node of this repository's packages, which brings no npm.
      env: { ...process.env, PATH: foreignPath() },
    });
  } catch (error) {
    await checkout[Symbol.asyncDispose]();
    throw error;
  }
  return checkout;
}

const foreignPath = (): string =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.startsWith(join(repository, "node_modules")))
    .join(delimiter);
