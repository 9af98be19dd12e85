import { FileContent } from "@faceline/runtime/file-setting";
import * as z from "zod";

/** `second=redis://a:6379,third=redis://b:6379` → a map from pool to value. */
export const valuesByPool = z
  .string()
  .default("")
  .transform((list, context): ReadonlyMap<string, string> => {
    const entries = new Map<string, string>();
    for (const item of list.split(",").map((each) => each.trim())) {
      if (item === "") continue;
      const end = item.indexOf("=");
      const pool = item.slice(0, Math.max(0, end));
      const value = item.slice(end + 1);
      // The item is not shown: it may hold a password.
      if (pool === "" || value === "")
        context.addIssue("must have items POOL=VALUE, separated by commas; one has no pool or no value");
      else if (entries.has(pool)) context.addIssue(`names the pool ${pool} twice`);
      else entries.set(pool, value);
    }
    return entries;
  });

/** The same of files, whose contents become the values. */
export const fileContentsByPool = valuesByPool.transform((files, context): ReadonlyMap<string, string> => {
  const contents = new Map<string, string>();
  for (const [pool, path] of files) {
    const read = FileContent.safeParse(path);
    if (read.success) contents.set(pool, read.data);
    else context.addIssue(`${pool}: ${read.error.issues[0]!.message}`);
  }
  return contents;
});

/** Adds an issue for each pool that these settings name and that is not used. */
export function checkPoolRedis(settings: PoolRedisSettings, context: z.RefinementCtx): void {
  const add = (setting: keyof PoolRedisSettings, message: string) =>
    context.addIssue({ code: "custom", path: [setting], message });
  const { POOLS, POOL_REDIS_VOLATILE_URLS: urls, POOL_REDIS_VOLATILE_PASSWORD_FILES: passwords } = settings;
  for (const pool of urls.keys()) {
    if (!POOLS.includes(pool)) add("POOL_REDIS_VOLATILE_URLS", `names ${pool}, which is not one of POOLS`);
  }
  for (const pool of passwords.keys()) {
    if (!urls.has(pool))
      add("POOL_REDIS_VOLATILE_PASSWORD_FILES", `names ${pool}, which has no POOL_REDIS_VOLATILE_URLS`);
  }
}

export type PoolRedisSettings = {
  POOLS: string[];
  /** The address of the volatile Redis of each pool that has one of its own. */
  POOL_REDIS_VOLATILE_URLS: ReadonlyMap<string, string>;
  /** The password of the user in that address. */
  POOL_REDIS_VOLATILE_PASSWORD_FILES: ReadonlyMap<string, string>;
};
