import type { ListedKey } from "@faceline/runtime/api-keys";
import type { RedisConnection } from "@faceline/runtime/redis";
import { listApiKeys } from "@faceline/runtime/team-index";

/** Returns the keys of a team, the oldest first, revoked and expired ones included. */
export const listTeamKeys = (durable: RedisConnection, team: string): Promise<ListedKey[]> =>
  listApiKeys(durable, [team]);
