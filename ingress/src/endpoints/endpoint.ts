import type { FastifyReply } from "fastify";
import type * as z from "zod";
import type { RequestContext } from "../call/context.ts";
import type { Ports } from "../call/ports.ts";
import type { HttpSettings } from "../config.ts";
import type { InputReader } from "../images/inputs.ts";
import type { EnabledModels } from "../models/enabled-models.ts";

/** Dependencies of every endpoint. */
export type RouteContext = {
  ports: Ports;
  settings: HttpSettings;
  /** `enabled` may change at any time: a request reads it once, so that it does not change midway. */
  models: EnabledModels;
  inputs: InputReader;
};

/**
 * A POST that needs an API key and may run models. The server parses body and query by its schemas before it
 * calls `handle`; the OpenAPI document is made from the rest.
 */
export type ComputeEndpoint<
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
> = {
  path: string;
  summary: string;
  description: string;
  /** Fields of the images that it needs: a body that is an image itself can be one of one. */
  imageFields: string[];
  /** The schemas under the names that they have in `components/schemas` of the document: one entry each. */
  request: Record<string, Request>;
  response: Record<string, Response>;
  /** Schema of the query. The document describes it in words: it would turn a response into a union. */
  query?: Query;
  /**
   * True: every request needs a worker, so it is rejected before its body is read if no worker could finish
   * it in time. False: requests with only vectors need none.
   */
  needsWorker: boolean;
  handle(
    context: RouteContext,
    call: RequestContext,
    body: z.infer<Request>,
    query: z.infer<Query>,
  ): Promise<unknown>;
};

/** A public GET about the service. */
export type ServiceEndpoint = {
  path: string;
  operationId: string;
  summary: string;
  description: string;
  /** Schema, as in ComputeEndpoint. Undefined: any JSON object. */
  response?: Record<string, z.ZodType>;
  /** The body of a 503, if the endpoint has one: the response itself, or a problem. */
  unavailable?: "response" | "problem";
  handle(context: RouteContext, reply: FastifyReply): Promise<unknown>;
};
