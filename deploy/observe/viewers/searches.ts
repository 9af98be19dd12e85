/** Searches in Zipkin that answer usual questions, by name. */
export const searches = {
  latest: {
    title: "Latest requests",
    shows: "the last 15 minutes",
    query: { serviceName: "faceline-ingress" },
  },
  slow: {
    title: "Slow requests",
    shows: "500 ms and more",
    query: { serviceName: "faceline-ingress", minDuration: "500000" },
  },
  refused: {
    title: "Refused requests",
    shows: "status 503: refused under load",
    query: { serviceName: "faceline-ingress", annotationQuery: "http.response.status_code=503" },
  },
  failed: {
    title: "Errors",
    shows: "every failed span; its tag error says why",
    query: { annotationQuery: "error" },
  },
  retried: {
    title: "Retried requests",
    shows: "a worker or a batch was lost",
    query: { annotationQuery: "faceline.attempt=2" },
  },
  // The first span of a batch alone has it.
  batches: {
    title: "Batches",
    shows: "each with links to its requests",
    query: { annotationQuery: "faceline.batch.predicted_end_ms" },
  },
} as const;

/**
 * Returns the address of a search at Zipkin: the last 15 minutes before `now`, in epoch ms. Undefined where
 * there is no search of this name. Zipkin searches at once only where the address says until when.
 */
export function searchAddress(zipkin: string, name: string, now: number): string | undefined {
  if (!isSearch(name)) return undefined;
  const query = new URLSearchParams({
    ...searches[name].query,
    lookback: "15m",
    limit: "50",
    endTs: `${now}`,
  });
  return `${zipkin}/zipkin/?${query.toString()}`;
}

const isSearch = (name: string): name is keyof typeof searches => Object.hasOwn(searches, name);
