import { Email } from "@faceline/accounts/people/email";
import { readMessage } from "@faceline/runtime/message";
import { type LimitOverrides, TeamLimits } from "@faceline/contracts/stored/team";
import { Tenant } from "@faceline/contracts/wire/ids";
import * as z from "zod";
import { type LimitValues, limitFields } from "@faceline/web/accounts/limits-form";
import { PageRefusal } from "./page-refusal.ts";

const text = z.string().max(254).default("");
const Limits = z.object({ perSecond: text, burst: text, inFlight: text, bytesPerSecond: text });
const SeenLimits = z.object({ seen: z.string().max(500).optional() });
const Membership = z.object({ email: text, team: text, join: text });

/** Reads the limits of a form: an empty field is absent. `errors` has the fields that are no limits. */
export function readLimits(body: unknown): ReadLimits {
  const sent = Limits.safeParse(body);
  if (!sent.success) throw new PageRefusal("unreadable_form");
  const values = sent.data;
  const limits: LimitOverrides = {};
  const errors: LimitValues = {};
  for (const { name, limit } of limitFields) {
    const value = values[name].trim();
    if (value === "") continue;
    const number = /^\d{1,13}$/.test(value) ? Number(value) : Number.NaN;
    const parsed = TeamLimits.shape[limit].safeParse(number);
    if (parsed.success) limits[limit] = parsed.data;
    else
      errors[name] = `Enter a whole number up to ${limit === "bodyBytesPerSecond" ? "10^12" : "1,000,000"}.`;
  }
  return { values, limits, errors: Object.keys(errors).length === 0 ? undefined : errors };
}

/** Reads which limits the page of the form showed; undefined if it does not say. */
export function readSeenLimits(body: unknown): LimitOverrides | undefined {
  const sent = SeenLimits.safeParse(body);
  if (!sent.success) throw new PageRefusal("unreadable_form");
  if (sent.data.seen === undefined) return undefined;
  const seen = readMessage(TeamLimits.partial(), Buffer.from(sent.data.seen));
  if (!seen.ok) throw new PageRefusal("unreadable_form");
  return seen.value;
}

/**
 * Reads who is to join which team. An existing team must be confirmed: its name may come from what an
 * applicant wrote, and its members see its keys.
 */
export function readMembership(body: unknown, teams: readonly string[]): ReadMembership {
  const sent = Membership.safeParse(body);
  if (!sent.success) throw new PageRefusal("unreadable_form");
  const { email, join } = sent.data;
  const team = sent.data.team.trim();
  const parsedEmail = Email.safeParse(email);
  const valid = Tenant.safeParse(team).success;
  const exists = valid && teams.includes(team);
  const confirmed = !exists || join === team;
  const teamError = valid
    ? confirmed
      ? undefined
      : "A team of this name exists. Tick the box below if they belong to it, or enter another name."
    : "Write 1 to 64 letters, digits, dots, dashes or underscores.";
  return {
    email: parsedEmail.success ? parsedEmail.data : email,
    emailError: parsedEmail.success
      ? undefined
      : "This is not an email address: write it as name@example.org.",
    team,
    teamError,
    joins: exists,
  };
}

/** Turns what somebody wrote into a suggested team name: `Team: Night Owls` → `night-owls`. */
export function proposedTeam(written: string): string {
  const [, name = ""] = /^Team: (.*)$/m.exec(written) ?? [];
  return name
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9._]+/g, "-")
    .replaceAll(/[-.]*-[-.]*/g, "-")
    .replaceAll(/^[-.]+|[-.]+$/g, "")
    .slice(0, 64);
}

type ReadLimits = {
  values: Record<(typeof limitFields)[number]["name"], string>;
  limits: LimitOverrides;
  errors: LimitValues | undefined;
};
type ReadMembership = {
  email: string;
  emailError: string | undefined;
  team: string;
  teamError: string | undefined;
  joins: boolean;
};
