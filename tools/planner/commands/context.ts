export type CommandContext = {
  /** Folder of the project's state. */
  stateFolder: string;
  print(line: string): void;
  /** Replaces the line of progress. */
  progress(line: string): void;
};
