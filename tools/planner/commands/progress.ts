/**
 * Returns what shows a line of progress: in place of the one before on a terminal, and elsewhere as a line of
 * its own every 15 s, so that a log of minutes is not silent and has not thousands of lines. `now`: in ms.
 */
export function progressOn(stream: ProgressStream, now: () => number): (line: string) => void {
  let shownAt = now();
  return (line) => {
    if (stream.isTTY === true) {
      stream.write(`\r\u001b[K${line.slice(0, (stream.columns ?? columnsUsual) - 1)}`);
      return;
    }
    if (line === "" || now() < shownAt + everyMs) return;
    shownAt = now();
    stream.write(`${line}\n`);
  };
}

const everyMs = 15_000;
const columnsUsual = 80;

type ProgressStream = { isTTY?: boolean; columns?: number; write(text: string): unknown };
