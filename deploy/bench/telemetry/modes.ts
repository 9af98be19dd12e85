import type { Receivers } from "./receivers.ts";

/**
 * The ways in which a stack can be observed, each with what it is compared with. `off` loads nothing of
 * OpenTelemetry; `off again` is a second stack of it, and shows what the comparison can tell.
 */
export function telemetryModes({ present, hanging, down }: Receivers["addresses"]): TelemetryMode[] {
  const traced = (address: string, settings: Record<string, string> = {}) => ({
    operators: false,
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: address, ...settings },
  });
  const tenth = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" };
  const off = { operators: false, settings: { OTEL_EXPORTER_OTLP_ENDPOINT: "" } };
  return [
    { name: "off", ...off },
    { name: "off again", ...off },
    { name: "operators' port", ...off, operators: true },
    { name: "10 % sampled", ...traced(present, tenth) },
    { name: "all sampled", ...traced(present) },
    { name: "all sampled, receiver down", ...traced(down) },
    { name: "all sampled, receiver hangs", ...traced(hanging) },
  ];
}

/** What each comparison divides by. */
export const comparisons: readonly { mode: string; with: string }[] = [
  { mode: "off again", with: "off" },
  { mode: "operators' port", with: "off" },
  { mode: "10 % sampled", with: "off" },
  { mode: "all sampled", with: "off" },
  { mode: "all sampled, receiver down", with: "off" },
  { mode: "all sampled, receiver hangs", with: "off" },
  { mode: "all sampled, receiver down", with: "all sampled" },
  { mode: "all sampled, receiver hangs", with: "all sampled" },
];

export type TelemetryMode = { name: string; operators: boolean; settings: Record<string, string> };
