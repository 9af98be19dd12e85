import { Allowlist } from "@faceline/accounts/models/allowlist";
import { AllowlistNotice, AllowlistReply } from "@faceline/accounts/models/allowlist-store";
import { Person } from "@faceline/accounts/people/person";
import { RecentError } from "@faceline/accounts/usage/recent-error";
import { ApiKey, KeyChange } from "@faceline/contracts/stored/api-key";
import { Team } from "@faceline/contracts/stored/team";
import { Answers } from "@faceline/contracts/wire/answer";
import { Batch } from "@faceline/contracts/wire/batch";
import { Cancel } from "@faceline/contracts/wire/cancel";
import { PoolState } from "@faceline/contracts/wire/pool-state";
import { Report } from "@faceline/contracts/wire/report";
import { CallTasks } from "@faceline/contracts/wire/task";
import * as z from "zod";
import type { JsonSchema } from "./schema-refusals.ts";

/** Schemas of what a process of another release may read: messages, and JSON in the durable Redis. */
export const sharedSchemas = {
  CallTasks,
  Batch,
  Report,
  PoolState,
  Answers,
  Cancel,
  ApiKey,
  KeyChange,
  Team,
  Person,
  RecentError,
  Allowlist,
  AllowlistNotice,
  AllowlistReply,
} satisfies Record<string, z.ZodType>;

export type SharedName = keyof typeof sharedSchemas;

/** The schemas of a release: what it writes, and what it reads. */
export function schemasOfThisRelease(): ReleaseSchemas {
  const names = Object.keys(sharedSchemas) as SharedName[];
  return Object.fromEntries(
    names.map((name) => {
      const of = (io: "input" | "output") => z.toJSONSchema(sharedSchemas[name], { io }) as JsonSchema;
      return [name, { writes: of("output"), reads: of("input") }];
    }),
  ) as ReleaseSchemas;
}

type ReleaseSchemas = Record<SharedName, { writes: JsonSchema; reads: JsonSchema }>;

/** A file of `recorded/`: schemas of a release, and messages that its processes sent each other. */
export type RecordedRelease = {
  version: string;
  schemas: Partial<ReleaseSchemas>;
  messages: Partial<Record<SharedName, unknown[]>>;
};
