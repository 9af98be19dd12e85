import { parseOptions } from "@faceline/models/parse-options";
import { Email } from "@faceline/accounts/people/email";
import { type LimitOverrides, TeamLimits, unlimited } from "@faceline/contracts/stored/team";
import { Tenant } from "@faceline/contracts/wire/ids";

export const usage = `usage: npm run keys -- VERB

  create --team NAME [--name NAME] [LIMITS]   create a key, and print it once
  list [--team NAME]                          list the keys
  revoke --id ID | --prefix PREFIX            revoke a key; the first characters of either are enough
  limits --team NAME LIMITS                   change the limits of a team
  operator --email MAIL [--team NAME]         make a person an operator, and send a new sign-in link
  member --email MAIL                         turn an operator back into a member, from the next request
  decline --domain DOMAIN | --network NETWORK | --all
                                              remove many entries from the waitlist: of a mail domain
                                              (example.org), of a network as shown at /admin, or all
  forget --email MAIL                         delete everything stored about a person

The pages at /admin do the rest: waitlist, people, limits, usage.

LIMITS apply to the team, across all its keys; omitted limits do not change:
  --per-second N        requests per second
  --burst N             largest burst, in requests
  --in-flight N         requests in flight
  --bytes-per-second N  upload bytes per second, for each ingress
  --no-limits           no limits; 0 turns off a single one

Sign-in links are mailed if SMTP_URL is set, otherwise printed. They point to PUBLIC_URL, or to PORT on this machine:
set the same one as for the service. The default is the port of the last \`npm start\` in this folder, or 8080.
Keys are stored in the durable Redis: REDIS_DURABLE_URL, or the one of \`npm start\` (REDIS_DURABLE_PORT, 6380).`;

const options = {
  team: { type: "string" },
  email: { type: "string" },
  domain: { type: "string" },
  network: { type: "string" },
  all: { type: "boolean", default: false },
  name: { type: "string" },
  id: { type: "string" },
  prefix: { type: "string" },
  "per-second": { type: "string" },
  burst: { type: "string" },
  "in-flight": { type: "string" },
  "bytes-per-second": { type: "string" },
  "no-limits": { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** The options of each verb, beside `--help`. */
const limitOptions = ["per-second", "burst", "in-flight", "bytes-per-second", "no-limits"] as const;
const optionsByVerb: Record<string, readonly string[]> = {
  create: ["team", "name", ...limitOptions],
  list: ["team"],
  revoke: ["id", "prefix"],
  limits: ["team", ...limitOptions],
  decline: ["domain", "network", "all"],
  operator: ["email", "team"],
  member: ["email"],
  forget: ["email"],
};

/** Parses the command line. Returns a sentence when it is wrong. */
export function parseKeysCall(argv: string[]): KeysCommand | string {
  try {
    const { values, positionals } = parseOptions({ args: argv, options, allowPositionals: true });
    const [verb = "", ...more] = positionals;
    if (values.help) return { verb: "help" };
    if (verb === "") return usage;
    if (!Object.hasOwn(optionsByVerb, verb)) return `Unknown command ${verb}: see --help.`;
    if (more.length > 0 && optionsByVerb[verb]![0] === "email") {
      return `${verb} takes the email as an option: ${verb} --email ${more[0]}`;
    }
    if (more.length > 0) return `${verb} takes only options: see --help.`;
    const unexpected = Object.entries(values).find(
      ([name, value]) => value !== false && !optionsByVerb[verb]!.includes(name),
    );
    if (unexpected !== undefined) return `${verb} does not take --${unexpected[0]}: see --help.`;
    return parseVerb(verb, values);
  } catch (error) {
    return (error as Error).message;
  }
}

function parseVerb(verb: string, values: Values): KeysCommand | string {
  switch (verb) {
    case "list":
      return { verb, ...(values.team === undefined ? {} : { team: parseTeam(values.team) }) };
    case "revoke": {
      const prefix = values.id ?? values.prefix ?? "";
      if (values.id !== undefined && values.prefix !== undefined) return "Give --id or --prefix, not both.";
      if (prefix.length < prefixCharactersMin)
        return `Give at least ${prefixCharactersMin} characters of --id or --prefix.`;
      return { verb, prefix };
    }
    case "limits": {
      const limits = parseLimits(values);
      const team = parseTeam(values.team);
      return limits === undefined ? "Give at least one limit: see --help." : { verb, team, limits };
    }
    case "decline": {
      const { domain, network, all } = values;
      const given = [domain, network, all || undefined].filter((value) => value !== undefined);
      if (given.length !== 1) return "Give one of --domain, --network and --all.";
      if (domain !== undefined) return { verb, which: { domain: domain.replace(/^@/, "").toLowerCase() } };
      return { verb, which: network === undefined ? "all" : { network } };
    }
    case "operator": {
      const team = values.team === undefined ? undefined : parseTeam(values.team);
      return { verb, email: parseEmail(values.email), team };
    }
    case "member":
    case "forget":
      return { verb, email: parseEmail(values.email) };
    default: {
      const team = parseTeam(values.team);
      const name = values.name ?? `${team} key`.slice(0, nameCharactersMax);
      if (name === "" || name.length > nameCharactersMax) {
        return `--name must have 1 to ${nameCharactersMax} characters.`;
      }
      return { verb: "create", team, name, limits: parseLimits(values) };
    }
  }
}

const prefixCharactersMin = 4;
const nameCharactersMax = 64;

function parseTeam(name: string | undefined): string {
  const read = Tenant.safeParse(name);
  if (read.success) return read.data;
  throw new Error("--team must be the team's name: 1 to 64 letters, digits, dots, dashes or underscores.");
}

function parseEmail(text: string | undefined): string {
  const read = Email.safeParse(text);
  if (read.success) return read.data;
  throw new Error("--email must be a single email address, such as ada@example.com.");
}

function parseLimits(values: Values): LimitOverrides | undefined {
  const options = {
    requestsPerSecond: values["per-second"],
    requestsBurst: values.burst,
    inFlightMax: values["in-flight"],
    bodyBytesPerSecond: values["bytes-per-second"],
  };
  const some = Object.entries(options).filter(([, value]) => value !== undefined);
  if (values["no-limits"]) {
    if (some.length > 0) throw new Error("Give limits or --no-limits, not both.");
    return unlimited;
  }
  if (some.length === 0) return undefined;
  const numbers = some.map(([limit, value]) => [limit, /^\d+$/.test(value!) ? Number(value) : Number.NaN]);
  const read = TeamLimits.partial().safeParse(Object.fromEntries(numbers));
  if (read.success) return read.data;
  throw new Error(
    "--per-second, --burst and --in-flight must be whole numbers from 0 to 1000000, --bytes-per-second to 10^12.",
  );
}

type Values = ReturnType<typeof parseOptions<{ options: typeof options }>>["values"];

export type KeysCommand =
  | { verb: "help" }
  | { verb: "create"; team: string; name: string; limits: LimitOverrides | undefined }
  | { verb: "list"; team?: string }
  | { verb: "revoke"; prefix: string }
  | { verb: "limits"; team: string; limits: LimitOverrides }
  | PeopleCommand;

export type PeopleCommand =
  | { verb: "decline"; which: { domain: string } | { network: string } | "all" }
  | { verb: "operator"; email: string; team: string | undefined }
  | { verb: "member" | "forget"; email: string };
