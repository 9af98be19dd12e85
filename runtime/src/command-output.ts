/**
 * Output of a command: lines, and below them one line of progress. A terminal updates that line in place.
 * Elsewhere it is printed after 15 s without another line, so that a log of minutes is not silent and has no
 * thousands of lines.
 */
export class CommandOutput {
  readonly isTerminal: boolean;
  readonly #stream: OutputStream;
  readonly #now: () => number;
  #printedAt: number;
  #shown = "";

  /** `now`: in ms. */
  constructor(stream: OutputStream, now: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#now = now;
    this.#printedAt = now();
    this.isTerminal = stream.isTTY === true;
  }

  /** Prints a line that stays. */
  readonly print = (line: string): void => {
    this.showProgress("");
    this.#printedAt = this.#now();
    this.#stream.write(`${line}\n`);
  };

  /** Replaces the line of progress; "" removes it. */
  readonly showProgress = (line: string): void => {
    if (this.isTerminal) {
      if (line === "" && this.#shown === "") return;
      this.#stream.write(`\r\u001b[K${line.slice(0, (this.#stream.columns || columnsUsual) - 1)}`);
      this.#shown = line;
    } else if (line !== "" && this.#now() >= this.#printedAt + silenceMaxMs) {
      this.print(line);
    }
  };
}

const silenceMaxMs = 15_000;
const columnsUsual = 80;

/** Output of this process. Everything that it prints beside a line of progress goes through here. */
export const commandOutput = new CommandOutput(process.stdout);

type OutputStream = { isTTY?: boolean; columns?: number; write(text: string): unknown };
