import type { LimitOverrides } from "@faceline/contracts/stored/team";
import type { Facts } from "../facts.ts";
import { formatBytes, formatCount } from "../format.ts";
import { each, type Html } from "@faceline/runtime/design/html";
import { type FieldError, field } from "./form.ts";

/** The limits of a team, with the names of their fields in forms. */
export const limitFields = [
  { name: "perSecond", limit: "requestsPerSecond", label: "Requests per second" },
  { name: "burst", limit: "requestsBurst", label: "Burst" },
  { name: "inFlight", limit: "inFlightMax", label: "Requests in flight" },
  {
    name: "bytesPerSecond",
    limit: "bodyBytesPerSecond",
    label: "Upload bytes per second, for each ingress",
  },
] as const;

/** Returns one field for each limit. An empty one means the service's default, which its hint names. */
export function limitInputs({ values, errors = {}, facts }: LimitInputs): Html {
  const standard = standardLimits(facts);
  return each(limitFields, ({ name, limit, label }) => {
    const number = standard[limit];
    const empty =
      limit === "bodyBytesPerSecond" ? `${number}, which is ${formatBytes(number)}` : formatCount(number);
    const hint = `Empty: ${empty}. 0: unlimited.`;
    return field({ name, label, hint, max: 13, value: values[name], error: errors[name] });
  });
}

/** Returns the limits of a team, in the order of the fields. `isOwn`: not the service's default. */
export function limitTexts(own: LimitOverrides, facts: Facts): LimitText[] {
  const standard = standardLimits(facts);
  return limitFields.map(({ limit, label }) => {
    const number = own[limit] ?? standard[limit];
    const format = limit === "bodyBytesPerSecond" ? formatBytes : formatCount;
    const text = number === 0 ? "unlimited" : format(number);
    return { label: shortLabel(label), text, isOwn: own[limit] !== undefined };
  });
}

/** Drops what only the form needs: `Upload bytes per second, for each ingress`. */
export const shortLabel = (label: string): string => label.split(",")[0]!;

/** Returns the errors of limits that were sent, in the order of the fields. */
export const limitErrors = (errors: LimitValues = {}): FieldError[] =>
  limitFields.map(({ name, label }) => ({ name, label, error: errors[name] }));

/** Returns limits as a form sends them. */
export const limitValues = (limits: LimitOverrides): LimitValues =>
  Object.fromEntries(limitFields.map(({ name, limit }) => [name, String(limits[limit] ?? "")]));

const standardLimits = ({ limits, teamBodyBytesPerSecond }: Facts) => ({
  requestsPerSecond: limits.team_requests_per_second,
  requestsBurst: limits.team_requests_burst,
  inFlightMax: limits.team_in_flight,
  bodyBytesPerSecond: teamBodyBytesPerSecond,
});

export type LimitText = { label: string; text: string; isOwn: boolean };
type LimitField = (typeof limitFields)[number]["name"];
export type LimitValues = Partial<Record<LimitField, string | undefined>>;
type LimitInputs = { values: LimitValues; errors?: LimitValues | undefined; facts: Facts };
