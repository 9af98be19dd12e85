// Pieces of PromQL. `by`: labels, with commas between them; `matchers` select series: `limit="reached"`.

/** The rate of a counter, summed. */
export const rateOf = (counter: string, by: string, matchers = ""): string =>
  `sum by (${by}) (rate(${counter}{${matchers}}[$__rate_interval]))`;

/** The mean of what a histogram recorded. */
export const meanOf = (histogram: string, by: string, matchers = ""): string =>
  `${rateOf(`${histogram}_sum`, by, matchers)} / ${rateOf(`${histogram}_count`, by, matchers)}`;

/** A quantile of what a histogram recorded, to the width of its buckets. */
export const quantileOf = (q: number, histogram: string, by: string, matchers = ""): string =>
  `histogram_quantile(${q}, ${rateOf(`${histogram}_bucket`, by === "" ? "le" : `le, ${by}`, matchers)})`;

/** A gauge as the active batchers show it: the gauges of one that stands by are of no lane in use. */
export const ofActive = (gauge: string, matchers = ""): string =>
  `(${gauge}{${matchers}} and on (instance) (faceline_batcher_active == 1))`;

/** Selects the lanes that were chosen on the page. */
export const ofLane = 'lane=~"$lane"';
/** Selects tasks of teams, and those of anonymous calls. */
export const ofTeams = 'service_class="standard"';
export const ofAnonymous = 'service_class="best_effort"';
/** Selects Faceline's series: other programs have some of the same name. */
export const ofFaceline = 'job=~"faceline.*"';
/** Selects the processes that were chosen on the page. */
export const ofInstance = `${ofFaceline}, instance=~"$instance"`;
