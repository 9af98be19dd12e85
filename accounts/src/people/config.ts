import * as z from "zod";

/** Most of SIGN_IN_ADDRESS_HOURS. */
export const signInAddressHoursMax = 720;

/** How long what lets a person in stays valid. */
export const PeopleConfig = z.object({
  /** Lifetime of a sign-in address that nobody has used. */
  SIGN_IN_ADDRESS_HOURS: z.coerce.number().int().min(1).max(signInAddressHoursMax).default(24),
  /** Lifetime of a session that is not used. */
  SESSION_DAYS: z.coerce.number().int().min(1).max(366).default(30),
});
