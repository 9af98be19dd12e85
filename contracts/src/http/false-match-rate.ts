import * as z from "zod";

/** Field of replies that have a distance. */
export const FalseMatchRate = z
  .number()
  .positive()
  .max(1)
  .nullable()
  .describe(
    "The share (0 to 1) of pairs of different people whose distance is this small or smaller; of one pair of " +
      "faces, however many were compared. An estimate: it holds for pictures like those that " +
      "`false_match_rate_from` of /capabilities was measured on. Its smallest value, 1 / (`pairs` + 1), says that " +
      "none of those pairs was this close. Null where nothing was measured, with `align: false`, and where no face was found.",
  );
