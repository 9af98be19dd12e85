import type { ListedKey } from "@faceline/contracts/runtime/api-keys";
import type { RedisConnection } from "@faceline/contracts/runtime/redis";
import { listApiKeys } from "@faceline/contracts/runtime/team-index";

/** Returns the keys of a team, the oldest first, revoked and expired ones included. */
export const listTeamKeys = (durable: RedisConnection, team: string): Promise<ListedKey[]> =>
  listApiKeys(durable, [team]);
