/**
 * Why a connection was closed although its client did not ask for that: nothing or too little of a request
 * came in time; the response was not read; it had to make room for another one; or it had too many requests
 * at once.
 */
export const closedConnections = [
  "request_timeout",
  "response_not_read",
  "connections_full",
  "pipelined_requests",
] as const;
export type ClosedConnection = (typeof closedConnections)[number];
