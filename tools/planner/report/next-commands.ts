/** Sets a plan on both batchers of a pool, with the ports that `OPERATORS_PORT=9464 npm start` gives them. */
export const applyCommand = (planFile: string): string =>
  `npm run plan -- apply ${quoted(planFile)} \\\n` +
  "  --url http://127.0.0.1:9480 --url http://127.0.0.1:9481 --token-file .faceline/operators-token";

/** Sends the traffic of a plan to a running service. `traffic`: the options that name it. */
export const replayCommand = (traffic: readonly string[]): string =>
  `npm run plan -- replay ${traffic.map(quoted).join(" ")} \\\n` +
  "  --url http://127.0.0.1:8080 --key-file .faceline/dev-key";

export const applySentence =
  "Name every batcher of the pool with a --url of its own; npm start prints their ports.";

const quoted = (text: string): string =>
  /^[\w/.,@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
