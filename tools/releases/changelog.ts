/**
 * Returns CHANGELOG.md with its unreleased part under the version and the date (UTC), and an empty unreleased
 * part above. Throws one sentence if nothing is unreleased, or the version has a part already.
 */
export function releaseChangelog(text: string, version: string, date: Date): string {
  const head = `## ${version} – `;
  if (text.includes(`\n${head}`)) throw new Error(`CHANGELOG.md has ${version} already.`);
  const [before = "", after = ""] = text.split(`${unreleased}\n`, 2);
  const [changes = ""] = after.split(/^## /m, 1);
  if (changes.trim() === "") throw new Error('CHANGELOG.md has nothing under "Unreleased".');
  return `${before}${unreleased}\n\n${head}${date.toISOString().slice(0, 10)}\n${after}`;
}

/** Returns the changes of a version in CHANGELOG.md. Throws one sentence if it has none. */
export function releaseNotes(text: string, version: string): string {
  const [, after] = text.split(`\n## ${version} – `);
  if (after === undefined) throw new Error(`CHANGELOG.md has no part for ${version}.`);
  const [part = ""] = after.split(/^## /m, 1);
  return `${part.slice(part.indexOf("\n")).trim()}\n`;
}

const unreleased = "## Unreleased";
