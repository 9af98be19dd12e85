import { styleText } from "node:util";

/**
 * Formats a line of a service's log (pino's JSON) for a terminal: time in UTC, level, message, fields.
 * Returns any other line as it is. The log files keep the JSON.
 *
 *     12:00:01.123 info  in service  pool=default lanes=["Dlib/ssd"]
 */
export function readableLogLine(line: string): string {
  const record = parseRecord(line);
  if (record === undefined) return line;
  const { level, time, msg, service, version: _version, ...fields } = record;
  // The line's prefix names the process already.
  delete fields[`${service.replace("faceline-", "")}Id`];
  const texts = Object.entries(fields).map(([field, value]) => `${field}=${formatValue(value)}`);
  const head = `${time.slice(11, 23)} ${formatLevel(level)} ${msg ?? ""}`;
  return [head.trimEnd(), ...texts].join("  ");
}

/** Whether a line of a service's log is below `warn`. */
export const isInformation = (line: string): boolean =>
  ["debug", "info"].includes(parseRecord(line)?.level ?? "");

function formatLevel(level: string): string {
  const text = level.padEnd(5);
  if (level === "error" || level === "fatal") return styleText("red", text);
  return level === "warn" ? styleText("yellow", text) : text;
}

function formatValue(value: unknown): string {
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function parseRecord(line: string): LogRecord | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const record = JSON.parse(line) as Partial<LogRecord>;
    const { level, time, service } = record;
    const isRecord = [level, time, service].every((each) => typeof each === "string");
    return isRecord ? (record as LogRecord) : undefined;
  } catch {
    return undefined;
  }
}

type LogRecord = { level: string; time: string; service: string; msg?: string; [field: string]: unknown };
