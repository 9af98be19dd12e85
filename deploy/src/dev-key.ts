import { createHash, randomBytes, randomUUID } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { ApiKey } from "@faceline/contracts/api-key";
import { apiKeyKey } from "@faceline/contracts/names";
import { connectRedis } from "@faceline/contracts/runtime/redis";

const devKeyForm = /^fl_dev_[A-Za-z0-9_-]{43}$/;

/** The key that this checkout is used with, made once. Whoever reads it may call the API. */
export function readDevKey(file: string): string {
  const before = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const key = devKeyForm.test(before) ? before : newDevKey();
  if (key !== before) writeFileSync(file, `${key}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return key;
}

export const newDevKey = (): string => `fl_dev_${randomBytes(32).toString("base64url")}`;

/** Makes a key known to the ingresses. One that is known stays as it is, also if somebody has disabled it. */
export async function storeKey(durableUrl: string, key: string, team: string): Promise<void> {
  await using redis = await connectRedis("REDIS_DURABLE_URL", durableUrl, commandMs);
  const entry = ApiKey.parse({
    id: randomUUID(),
    name: `${team} key`,
    team,
    createdAt: Date.now(),
    disabled: false,
  });
  const sha256 = createHash("sha256").update(key).digest("hex");
  await redis.set(apiKeyKey(sha256), JSON.stringify(entry), "NX");
}

const commandMs = 5_000;
