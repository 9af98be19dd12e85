import type { FastifyInstance } from "fastify";
import { validate } from "./body/validate.ts";
import { rejectEarly } from "./dispatch/admission.ts";
import type { RouteContext } from "./endpoints/endpoint.ts";
import { computeEndpoints } from "./endpoints/table.ts";

/** Adds a POST for every compute endpoint, below `prefix`. */
export function addComputeRoutes(app: FastifyInstance, context: RouteContext, prefix = ""): void {
  const { ports, models, settings } = context;
  for (const { path, needsWorker, request: bodySchema, query, handle } of computeEndpoints) {
    const [schema] = Object.values(bodySchema);
    const options = {
      bodyLimit: settings.BODY_BYTES_MAX,
      ...(needsWorker ? { onRequest: rejectEarly(ports, () => models.enabled.lanes) } : {}),
    };
    app.post(`${prefix}${path}`, options, async (request) => {
      // The client may leave while the handler runs, and another call would get the memory of the images.
      using _images = request.requestContext!.memory.use();
      const parsedQuery = query === undefined ? undefined : validate(query, request.query);
      const body = validate(schema!, request.body);
      return await handle(context, request.requestContext!, body, parsedQuery);
    });
  }
}
