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
  const { level, time, msg, name, pid: _pid, hostname: _hostname, ...fields } = record;
  // The line's prefix names the process already.
  delete fields[`${name}Id`];
  const texts = Object.entries(fields).map(([field, value]) => `${field}=${formatValue(value)}`);
  const head = `${time.slice(11, 23)} ${formatLevel(level)} ${msg ?? ""}`;
  return [head.trimEnd(), ...texts].join("  ");
}

/** pino's numbers, with the names that LOG_LEVEL takes. */
const levels: Record<number, string> = {
  10: "trace",
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
  60: "fatal",
};

function formatLevel(level: number): string {
  const text = (levels[level] ?? `${level}`).padEnd(5);
  if (level >= 50) return styleText("red", text);
  return level >= 40 ? styleText("yellow", text) : text;
}

function formatValue(value: unknown): string {
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function parseRecord(line: string): LogRecord | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const record = JSON.parse(line) as Partial<LogRecord>;
    return typeof record.level === "number" && typeof record.time === "string"
      ? (record as LogRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

type LogRecord = { level: number; time: string; msg?: string; name?: string; [field: string]: unknown };
