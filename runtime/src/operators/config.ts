import * as z from "zod";
import { SettingsError } from "../config.ts";
import { FileContent } from "../file-setting.ts";

/** The operators' port of a process. */
export const OperatorsConfig = z.object({
  OPERATORS_HOST: z.string().default("127.0.0.1"),
  /** Port of only this process. Without one the operators' port is off. */
  OPERATORS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  /** The operators' credential: `Authorization: Bearer` must hold it for all that shows more than health. */
  OPERATORS_TOKEN: z.string().optional(),
  /** A file that holds the credential, as orchestrators mount secrets. It comes before the other. */
  OPERATORS_TOKEN_FILE: FileContent.optional(),
});
export type OperatorsConfig = z.infer<typeof OperatorsConfig>;

/**
 * Returns the operators' credential, or undefined if there is none. Throws a SettingsError if it is short, or
 * if there is none although others on a network can reach the port.
 */
export function readOperatorsToken(config: OperatorsConfig): string | undefined {
  const { OPERATORS_TOKEN_FILE, OPERATORS_TOKEN, OPERATORS_HOST } = config;
  const token = OPERATORS_TOKEN_FILE ?? OPERATORS_TOKEN;
  if (token === undefined && !isLoopback(OPERATORS_HOST)) {
    const fault = `others can reach ${OPERATORS_HOST}; set a token, or a loopback host`;
    throw new SettingsError([`OPERATORS_TOKEN: ${fault}`]);
  }
  if (token !== undefined && !/^[\x21-\x7e]{16,256}$/.test(token)) {
    throw new SettingsError(["OPERATORS_TOKEN: must be 16 to 256 characters of ASCII without spaces"]);
  }
  return token;
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || host.startsWith("127.");
