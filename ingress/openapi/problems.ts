import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import type { Problem } from "@faceline/contracts/http/problem";
import { computeResponseHeaders, type HeaderName, headerRefs } from "./headers.ts";
import { refTo } from "./schemas.ts";

/** Returns `components/responses`: one per status, with every error code of that status. */
export const problemResponses = () => ({
  ...Object.fromEntries(
    computeStatuses.map((status) => [`Problem${status}`, response(status, codesByStatus.get(status)!)]),
  ),
  MalformedRequest: response(400, ["invalid_request"], []),
});

const codesByStatus = Map.groupBy(
  Object.keys(errorTable) as ErrorCode[],
  (code) => errorTable[code].status as number,
);

/** The statuses of failed compute calls. 404 and 405 concern paths and methods that are no compute calls. */
export const computeStatuses = [...codesByStatus.keys()].filter((status) => status !== 404 && status !== 405);

/** Returns a reference to the response of a status. */
export const problemAt = (status: number) => refTo(`Problem${status}`, "responses");

function response(
  status: number,
  codes: ErrorCode[],
  responseHeaders: readonly HeaderName[] = [...computeResponseHeaders, ...(headersAt[status] ?? [])],
) {
  const schema = refTo("Problem");
  const examples = codes.map((code) => [code, { summary: errorTable[code].title, value: exampleOf(code) }]);
  return {
    description: codes
      .map((code) => `\`${code}\`: ${errorTable[code].when} ${errorTable[code].next}`)
      .join("\n\n"),
    headers: headerRefs(...responseHeaders),
    content: { "application/json": { schema, examples: Object.fromEntries(examples) } },
  };
}

const headersAt: Record<number, HeaderName[]> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

const exampleOf = (code: ErrorCode): Omit<Problem, "request_id"> & { request_id: string } => ({
  error: code,
  detail: errorTable[code].when,
  request_id: "01a1fd7b-f82f-723a-ba87-61ba8be62e83",
  status: errorTable[code].status,
  title: errorTable[code].title,
  type: `/problems/${code}`,
});
