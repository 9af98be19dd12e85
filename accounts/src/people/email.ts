import * as z from "zod";

/**
 * A mail address as it is stored, compared and mailed to: in lower case, a single address. It refuses line
 * breaks and lists, which would make a mail program write to others too. Throws a ZodError otherwise.
 */
export const Email = z.string().trim().toLowerCase().pipe(z.email().max(254));
