import type { LimitOverrides } from "@faceline/contracts/stored/team";
import type { Facts } from "../facts.ts";
import { formatBytes, formatCount } from "../format.ts";
import { each, type Html } from "../html.ts";
import { type FieldError, field } from "./form.ts";

/** The limits of a team, with the names of their fields in forms. */
export const limitFields = [
  { name: "perSecond", limit: "requestsPerSecond", label: "Requests per second" },
  { name: "burst", limit: "requestsBurst", label: "Burst" },
  { name: "inFlight", limit: "inFlightMax", label: "Requests in flight" },
  {
    name: "bytesPerSecond",
    limit: "bodyBytesPerSecond",
    label: "Body bytes per second, for each ingress",
  },
] as const;

/** Returns one field for each limit. An empty one means the service's default, which its hint names. */
export function limitInputs({ values, errors = {}, facts }: LimitInputs): Html {
  return each(limitFields, ({ name, label }) =>
    field({
      name,
      label,
      hint: `Empty: ${standardLimit(name, facts)}. 0: unlimited.`,
      max: 13,
      value: values[name],
      error: errors[name],
    }),
  );
}

/** Returns the errors of limits that were sent, in the order of the fields. */
export const limitErrors = (errors: LimitValues = {}): FieldError[] =>
  limitFields.map(({ name, label }) => ({ name, label, error: errors[name] }));

/** Returns limits as a form sends them. */
export const limitValues = (limits: LimitOverrides): LimitValues =>
  Object.fromEntries(limitFields.map(({ name, limit }) => [name, String(limits[limit] ?? "")]));

function standardLimit(name: LimitField, { limits, teamBodyBytesPerSecond }: Facts): string {
  switch (name) {
    case "perSecond":
      return formatCount(limits.team_requests_per_second);
    case "burst":
      return formatCount(limits.team_requests_burst);
    case "inFlight":
      return formatCount(limits.team_in_flight);
    case "bytesPerSecond":
      return `${teamBodyBytesPerSecond}, which is ${formatBytes(teamBodyBytesPerSecond)}`;
  }
}

type LimitField = (typeof limitFields)[number]["name"];
export type LimitValues = Partial<Record<LimitField, string | undefined>>;
type LimitInputs = { values: LimitValues; errors?: LimitValues | undefined; facts: Facts };
