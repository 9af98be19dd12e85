import * as z from "zod";

/**
 * A mail address as it is stored, compared and mailed to: in lower case, one address alone. It refuses line
 * breaks and lists, with which a mail program would write to others too. Throws a ZodError otherwise.
 */
export const Email = z.string().trim().toLowerCase().pipe(z.email().max(254));
