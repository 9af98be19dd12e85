export type CommandContext = {
  /** Where the project keeps its state. */
  stateFolder: string;
  print(line: string): void;
  /** Replaces the line of progress. */
  progress(line: string): void;
};
