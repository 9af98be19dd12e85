import * as z from "zod";

/** Most of SIGN_IN_LINK_HOURS. */
export const signInLinkHoursMax = 720;

/** How long what lets a person in stays valid. */
export const PeopleConfig = z.object({
  /** Lifetime of a sign-in link that nobody has used. */
  SIGN_IN_LINK_HOURS: z.coerce.number().int().min(1).max(signInLinkHoursMax).default(24),
  /** Lifetime of a session that is not used. */
  SESSION_DAYS: z.coerce.number().int().min(1).max(366).default(30),
});
