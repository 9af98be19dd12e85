import * as z from "zod";

/** Field of responses that have a distance. */
export const FalseMatchRate = z
  .number()
  .positive()
  .max(1)
  .nullable()
  .describe(
    "Estimated share (0 to 1) of pairs of different people that are at this distance or closer. It " +
      "applies to a single comparison, and holds for images like those behind `false_match_rate_from` " +
      "in /capabilities. The smallest value, 1 / (`pairs` + 1), means that none of those pairs was this close. Null if there are no measurements, with `align: false`, or if no face was found.",
  );
