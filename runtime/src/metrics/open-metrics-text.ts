/**
 * Returns a Prometheus page of the SDK's serializer in the format OpenMetrics 1.0: counters and infos are
 * named without their suffix, bounds of buckets are floats, and buckets show exemplars.
 */
export function openMetricsText(page: string, exemplars: ReadonlyMap<string, string>): string {
  const lines = page
    .replace(/^# HELP (\S+)_total (.*)\n# TYPE \S+ counter$/gm, "# HELP $1 $2\n# TYPE $1 counter")
    .replace(/^# HELP (\S+)_info (.*)\n# TYPE \S+ gauge$/gm, "# HELP $1 $2\n# TYPE $1 info")
    .replace(/,le="(\d+)"\}/g, ',le="$1.0"}')
    .split("\n")
    .filter((line) => line !== "");
  const shown = lines.map((line) => {
    const exemplar = exemplars.get(line.slice(0, line.lastIndexOf(" ")));
    return exemplar === undefined ? line : `${line} # ${exemplar}`;
  });
  return `${shown.join("\n")}\n# EOF\n`;
}
