import type { CapabilitiesResponse } from "@faceline/contracts/http/capabilities";
import type { ModelCard } from "@faceline/contracts/http/model-card";
import type { EmbeddingModel } from "@faceline/models/catalogue-entry";

/**
 * Facts of the running service, so that pages show its own limits. They cross to another thread, so they are
 * plain values.
 */
export type Facts = {
  version: string;
  /** Origin of the service as its clients see it; "" if the operator has not named it. */
  publicUrl: string;
  /** Whether calls need a key. */
  keysNeeded: boolean;
  limits: CapabilitiesResponse["limits"];
  teamBodyBytesPerSecond: number;
  /** Those that are enabled. */
  models: Pick<EmbeddingModel, "name" | "title" | "input_px" | "thresholds" | "thresholds_from">[];
  /** Cards of those that have one, by their names. */
  cards: Record<string, ModelCard>;
  detectors: string[];
  tester: TesterFacts;
  /** Whether people can join the waitlist and sign in. */
  accounts: boolean;
};

/**
 * Whether the pages lead visitors to the waitlist: only if the service has a public address. On your own
 * machine there is a key already, and nobody else to approve.
 */
export const offersWaitlist = ({ accounts, publicUrl }: Pick<Facts, "accounts" | "publicUrl">): boolean =>
  accounts && publicUrl !== "";

/** The public tester, and what its calls may hold: less than those with a key. */
export type TesterFacts = {
  /** False: the operator has turned it off. */
  on: boolean;
  bodyBytes: number;
  imageBytes: number;
  imagePixels: number;
  /** Candidates of /tester/compare. */
  candidates: number;
  deadlineMs: number;
  /** Rate and burst of one address. */
  requestsPerMinute: number;
  requestsBurst: number;
};
