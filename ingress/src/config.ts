import { isIP } from "node:net";
import { MailConfig } from "@faceline/accounts/mail/config";
import { KafkaConfig } from "@faceline/runtime/kafka";
import { ModelsConfig } from "@faceline/runtime/models-config";
import { OperatorsConfig } from "@faceline/runtime/operators/config";
import { DurableRedisConfig, VolatileRedisConfig } from "@faceline/runtime/redis";
import { ServiceConfig } from "@faceline/runtime/service";
import { PoolName } from "@faceline/contracts/wire/ids";
import { callTasksMax } from "@faceline/contracts/wire/task";
import * as z from "zod";
import { deadlineMinMs } from "./call/request-headers.ts";
import { checkPoolRedis, fileContentsByPool, valuesByPool } from "./pools/pool-redis-settings.ts";

const MiB = 1024 * 1024;

const integer = (min: number, max: number, standard: number) =>
  z.coerce.number().int().min(min).max(max).default(standard);

const count = (max: number, standard: number) => integer(1, max, standard);

const teamLimit = (standard: number) => integer(0, 1_000_000, standard);

/** `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`. */
function isAddressRange(text: string): boolean {
  const [address, bits, ...rest] = text.split("/");
  const version = isIP(address!);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** `a,b` → ["a", "b"]. */
const commaList = (standard: string) =>
  z
    .string()
    .default(standard)
    .transform((list) => list.split(",").map((item) => item.trim()));

/** The settings of only the HTTP server: what tests and benchmarks need. */
export const HttpSettings = z
  .object({
    /** `off`: no API keys; a drop-in for DeepFace's own server on a private network. */
    AUTH: z.enum(["on", "off"]).default("on"),
    /** The limits of a team that has none of its own. 0: not limited. */
    TEAM_REQUESTS_PER_SECOND: teamLimit(50),
    TEAM_REQUESTS_BURST: teamLimit(100),
    TEAM_IN_FLIGHT_MAX: teamLimit(64),
    TEAM_BODY_BYTES_PER_SECOND: integer(0, 1_000_000_000_000, 32 * MiB),
    /** Origins of web pages that may call, separated by commas: `https://a.example,https://b.example`. */
    CORS_ORIGINS: commaList("").transform((list) => list.filter((origin) => origin !== "")),

    /** Open connections of this process, with or without a key. At it, silent ones make room for new ones. */
    CONNECTIONS_MAX: count(1_000_000, 10_000),
    BODY_BYTES_MAX: count(1024 * MiB, 32 * MiB),
    /** Bytes of request bodies in memory at a time, each to the end of its call. Teams share them. */
    BODIES_IN_FLIGHT_BYTES_MAX: count(64 * 1024 * MiB, 512 * MiB),
    IMAGE_BYTES_MAX: count(256 * MiB, 10 * MiB),
    IMAGE_PIXELS_MAX: count(1_000_000_000, 40_000_000),
    CANDIDATE_VECTORS_MAX: count(100_000, 1_000),
    /** One task of the call is left for the source image. */
    CANDIDATE_IMAGES_MAX: count(callTasksMax - 1, 50),

    DEADLINE_DEFAULT_MS: count(3_600_000, 30_000),
    DEADLINE_MAX_MS: count(3_600_000, 120_000),

    ...ModelsConfig.shape,

    /** `off`: no pages for people; every path that is not of the API is 404. */
    PAGES: z.enum(["on", "off"]).default("on"),
    /** `off`: nobody may try the service without a key on its home page. Without pages it is off as well. */
    TESTER: z.enum(["on", "off"]).default("on"),
    /** `off`: no waitlist, sign-in and dashboard. Without pages, or without keys, they are off as well. */
    ACCOUNTS: z.enum(["on", "off"]).default("on"),
    /**
     * Addresses of proxies, or ranges of them (CIDR), separated by commas. Only from them is X-Forwarded-For
     * believed.
     */
    TRUSTED_PROXIES: commaList("")
      .transform((list) => list.filter((range) => range !== ""))
      .refine((list) => list.every(isAddressRange), "must be addresses or CIDR ranges, separated by commas"),
    /** The folder of built models, with the entries of added ones and with local thresholds. */
    MODELS_DIR: z.string().min(1).optional(),
    /**
     * Origin of this service as its clients see it: `https://faces.example`. Empty: links are relative.
     */
    PUBLIC_URL: z.string().default(""),
  })
  .refine((settings) => settings.BODY_BYTES_MAX <= settings.BODIES_IN_FLIGHT_BYTES_MAX, {
    path: ["BODIES_IN_FLIGHT_BYTES_MAX"],
    error: "must have room for one body of BODY_BYTES_MAX",
  })
  .refine(
    ({ DEADLINE_DEFAULT_MS, DEADLINE_MAX_MS }) =>
      deadlineMinMs <= DEADLINE_DEFAULT_MS && DEADLINE_DEFAULT_MS <= DEADLINE_MAX_MS,
    { path: ["DEADLINE_DEFAULT_MS"], error: `must lie between ${deadlineMinMs} and DEADLINE_MAX_MS` },
  );
export type HttpSettings = z.infer<typeof HttpSettings>;

/** Whether visitors may try the service on its home page. */
export const testerIsOn = ({ PAGES, TESTER }: Pick<HttpSettings, "PAGES" | "TESTER">): boolean =>
  PAGES === "on" && TESTER === "on";

/** Whether people can join the waitlist and sign in. */
export const accountsAreOn = (settings: Pick<HttpSettings, "PAGES" | "AUTH" | "ACCOUNTS">): boolean =>
  settings.PAGES === "on" && settings.AUTH === "on" && settings.ACCOUNTS === "on";

/**
 * Whether the requests of teams are counted: if requests need a key. Even without the account pages, which
 * show the counts once they are on. Without keys there are no teams to count for.
 */
export const usageIsCounted = ({ AUTH }: Pick<HttpSettings, "AUTH">): boolean => AUTH === "on";

/** Every setting of the service. `safeExtend` keeps the relations between the settings above. */
export const IngressConfig = HttpSettings.safeExtend({
  ...KafkaConfig.shape,
  ...VolatileRedisConfig.shape,
  ...DurableRedisConfig.shape,
  ...OperatorsConfig.shape,
  ...MailConfig.shape,
  ...ServiceConfig.shape,
  HOST: z.string().default("127.0.0.1"),
  PORT: integer(0, 65_535, 8080),
  /** The pools that calls may be sent to, separated by commas. */
  POOLS: commaList("default").pipe(z.array(PoolName).min(1).max(64)),
  /** Those of them that have a volatile Redis of their own. All others use REDIS_VOLATILE_URL. */
  POOL_REDIS_VOLATILE_URLS: valuesByPool,
  /** Files with the passwords of the users in those addresses. */
  POOL_REDIS_VOLATILE_PASSWORD_FILES: fileContentsByPool,
  /** Bytes of images of this process that are in Redis at a time. */
  IMAGES_IN_FLIGHT_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .default(256 * MiB),
  /**
   * How long calls are still accepted when the process must stop, with a red /readyz: longer than a
   * load balancer needs to notice that.
   */
  DRAIN_NOTICE_MS: integer(0, 60_000, 0),
  /** How long all calls may take to end when the process must stop, the notice included. */
  DRAIN_WITHIN_MS: integer(0, 600_000, 35_000),
})
  .superRefine(checkPoolRedis)
  .refine((settings) => settings.SMTP_URL === undefined || settings.PUBLIC_URL !== "", {
    path: ["PUBLIC_URL"],
    // The address in a mail must not be what the sender of a request claims it to be.
    error: "must be set where SMTP_URL is: mails name it",
  });

/**
 * Returns a sentence for the operator if everybody on a network may call this service, undefined otherwise.
 */
export function openAccessWarning({
  AUTH,
  HOST,
}: Pick<z.infer<typeof IngressConfig>, "AUTH" | "HOST">): string | undefined {
  const loopback = HOST === "localhost" || HOST === "::1" || HOST.startsWith("127.");
  if (AUTH === "on" || loopback) return undefined;
  return `AUTH=off and HOST=${HOST}: whoever reaches this address may call without a key; set AUTH=on, or a HOST of loopback`;
}

/**
 * Returns a sentence for the operator if there is a proxy that serves TLS and is not trusted. Nobody could
 * sign in, because the session's cookie needs https, and all people would count as one address.
 */
export function proxyWarning(
  settings: Pick<HttpSettings, "PAGES" | "AUTH" | "ACCOUNTS" | "TESTER" | "PUBLIC_URL" | "TRUSTED_PROXIES">,
): string | undefined {
  const { PUBLIC_URL, TRUSTED_PROXIES } = settings;
  const isTrusted = !PUBLIC_URL.startsWith("https:") || TRUSTED_PROXIES.length > 0;
  if (isTrusted || !(accountsAreOn(settings) || testerIsOn(settings))) return undefined;
  const consequence = accountsAreOn(settings)
    ? "nobody can sign in"
    : "all visitors share the limits of one address";
  return `PUBLIC_URL is https and TRUSTED_PROXIES is empty: ${consequence}; name the proxy that serves TLS`;
}
