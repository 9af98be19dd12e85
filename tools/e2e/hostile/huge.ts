import { type HostileCall, marker } from "./hostile-call.ts";

const mib = 1024 * 1024;
const zeros = (bytes: number) => () => Buffer.alloc(bytes);
const compare = { path: "/compare" };

/** Bodies of the largest allowed size, and larger ones. */
export const huge = (): HostileCall[] => [
  { ...compare, name: "32 MiB of null bytes", body: zeros(32 * mib), ends: "invalid_json" },
  {
    ...compare,
    name: "32 MiB of the digit 0 in a list",
    body: () => `{"unread":"${marker}","vector":[${"0,".repeat(16 * mib - 60)}0]}`,
    ends: "invalid_vector",
  },
  {
    ...compare,
    name: "32 MiB of empty lists",
    body: () => `{"unread":"${marker}","candidates":[${"[],".repeat(10.6 * mib)}[]]}`,
    ends: "too_many_candidates",
  },
  {
    ...compare,
    name: "32 MiB of empty objects in a field that nobody knows",
    body: () => `{"unread":"${marker}","nobody_knows_it":[${"{},".repeat(10.6 * mib)}{}]}`,
    ends: "invalid_request",
  },
  { ...compare, name: "32 MiB of quotes", body: () => '"'.repeat(32 * mib), ends: "invalid_request" },
  { ...compare, name: "a byte over the limit", body: zeros(32 * mib + 1), ends: "request_too_large" },
  { ...compare, name: "64 MiB", body: zeros(64 * mib), ends: "request_too_large" },
];
