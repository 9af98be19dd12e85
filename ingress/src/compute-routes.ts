import type { FastifyInstance } from "fastify";
import { queryOptions } from "./body/query-options.ts";
import { fieldsOf, withOtherFields } from "./body/sent-fields.ts";
import { fieldNames, validate } from "./body/validate.ts";
import { rejectEarly } from "./dispatch/admission.ts";
import type { RouteContext } from "./endpoints/endpoint.ts";
import { computeEndpoints } from "./endpoints/table.ts";

/** Adds a POST for every compute endpoint, below `prefix`. */
export function addComputeRoutes(app: FastifyInstance, context: RouteContext, prefix = ""): void {
  const { ports, models, settings } = context;
  for (const endpoint of computeEndpoints) {
    const { path, needsWorker, request: bodySchema, query, handle } = endpoint;
    const [schema] = Object.values(bodySchema);
    const knownFields = fieldNames(schema!);
    const optionsOf = queryOptions(knownFields, query === undefined ? new Set() : fieldNames(query));
    const options = {
      bodyLimit: settings.BODY_BYTES_MAX,
      ...(needsWorker ? { onRequest: rejectEarly(ports, models.lanes) } : {}),
    };
    app.post(`${prefix}${path}`, options, async (request) => {
      // The client may leave while the handler runs, and another call would get the memory of the images.
      using _images = request.requestContext!.memory.use();
      const { vectorLengthMax } = models;
      const parsedQuery = query === undefined ? undefined : validate(query, request.query);
      const fields = fieldsOf(request.body, endpoint, optionsOf(request.query as object, request.body));
      try {
        const body = validate(schema!, fields, vectorLengthMax);
        return await handle(context, request.requestContext!, body, parsedQuery);
      } catch (error) {
        throw withOtherFields(error, fields, knownFields);
      }
    });
  }
}
