/**
 * Returns the warning or error in a line of a service's log (pino's JSON) as a sentence with its fields;
 * undefined for any other line, which is in the log file alone.
 *
 *     warning: worker is silent (worker=w-1, lanes=["Dlib/ssd"])
 */
export function warningOf(line: string): string | undefined {
  const record = parseRecord(line);
  if (record === undefined || isInformation(line)) return undefined;
  const { level, time: _time, msg, service, version: _version, ...fields } = record;
  // The name of the process says it.
  delete fields[`${service.replace("faceline-", "")}Id`];
  const texts = Object.entries(fields).map(([field, value]) => `${field}=${formatValue(value)}`);
  const sentence = `${level === "warn" ? "warning" : level}: ${msg ?? ""}`;
  return texts.length === 0 ? sentence : `${sentence} (${texts.join(", ")})`;
}

/** Whether a line of a service's log is below `warn`. */
export const isInformation = (line: string): boolean =>
  ["debug", "info"].includes(parseRecord(line)?.level ?? "");

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
