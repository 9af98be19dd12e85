import { importsOf, read } from "./source.ts";

/**
 * Returns the names of the settings of a schema, by its text: `settingsOf("batcher/src/config.ts",
 * "BatcherConfig")`. The launcher imports no service, so its schema cannot be looked at.
 */
export function settingsOf(file: string, schema: string): string[] {
  const body = bodyOf(read(file), schema);
  if (body === undefined) {
    const source = importsOf(file).find(({ names }) => names.includes(schema))?.target;
    if (source === undefined) throw new Error(`${file} has no schema ${schema}`);
    return settingsOf(source, schema);
  }
  // `...KafkaConfig.shape`, `HttpSettings.safeExtend(`, `Settings.refine(`
  const parts = body.matchAll(/\.\.\.(\w+)\.shape|^(\w+)\.(?:safeExtend|refine)\(/gm);
  const own = [...body.matchAll(/^ {2,4}([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*): /gm)].map(([, name]) => name!);
  const inherited = [...parts].flatMap(([, spread, base]) => settingsOf(file, (spread ?? base)!));
  return [...new Set([...own, ...inherited])].toSorted();
}

/** The text of a constant from its value to the end of the statement, which begins no line. */
function bodyOf(text: string, name: string): string | undefined {
  return new RegExp(`^(?:export )?const ${name} = (.*?\\n(?:\\}|  ?\\}\\)|\\)).*?;)$`, "ms").exec(text)?.[1];
}
