import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "./call/api-error.ts";
import { wantsHtml } from "./errors/not-found.ts";
import { addVary, sendContent } from "@faceline/web/content";
import type { Facts } from "@faceline/web/facts";
import { pageHeaders } from "@faceline/web/headers";
import type { Translations } from "@faceline/web/render";
import { chooseLanguage, languages } from "@faceline/web/words/language";
import { siteFilePaths } from "@faceline/web/site-files";
import { openSite, type Site } from "@faceline/web/site";

/**
 * Returns the pages for people. They are rendered when the first one is requested, so that a service whose
 * pages nobody opens starts and runs as if it had none. Throws if the rendering thread fails; the next
 * request renders them again.
 */
export function openPages(facts: Facts): Pages {
  let site: Promise<Site> | undefined;
  return () => {
    site ??= openSite(facts).catch((error: unknown) => {
      site = undefined;
      throw error;
    });
    return site;
  };
}

/** Adds the routes of the pages. */
export function addPages(app: FastifyInstance, site: Pages): void {
  // A scope of its own: its headers are not those of the API.
  app.register(async (pages) => {
    pages.addHook("onRequest", async (_request, reply) => {
      reply.headers(pageHeaders);
    });

    for (const path of ["/", "/docs", ...siteFilePaths]) {
      pages.get(path, async (request, reply) => sendPage(await site(), path, request, reply));
    }
    pages.get<Rest>("/docs/*", async (request, reply) => {
      const name = request.params["*"];
      const path = `/docs/${name}`;
      const withoutSlash = path.replace(/\/+$/, "");
      const opened = await site();
      // Only to an address of ours: a path may hold what a header may not.
      const isOurs = path !== withoutSlash && opened.findPage(withoutSlash) !== undefined;
      return isOurs ? reply.redirect(withoutSlash, 308) : sendPage(opened, path, request, reply);
    });
    // The `type` of an error's response.
    pages.get<{ Params: { code: string } }>("/problems/:code", async (request, reply) => {
      const { code } = request.params;
      if (isErrorCode(code)) return reply.redirect(`/docs/errors#${code}`);
      return sendMissing(await site(), request, reply);
    });
    pages.get<Rest>("/assets/*", async (request, reply) => {
      const asset = (await site()).findAsset(`/assets/${request.params["*"]}`);
      if (asset === undefined) throw nothingHere();
      reply.header("cache-control", cachedForAYear);
      return sendContent(request, reply, asset);
    });
  });
}

function sendPage(site: Site, path: string, request: FastifyRequest, reply: FastifyReply) {
  const page = site.findPage(path);
  if (page === undefined) return sendMissing(site, request, reply);
  reply.header("cache-control", cachedAndChecked);
  return sendTranslation(request, reply, page);
}

/** Sends a page in the language that the reader prefers, of those that the page has. */
function sendTranslation(request: FastifyRequest, reply: FastifyReply, page: Translations) {
  const available = languages.filter((language) => page[language] !== undefined);
  const language = chooseLanguage(request.headers["accept-language"], available);
  if (available.length > 1) addVary(reply, "accept-language");
  reply.header("content-language", language);
  return sendContent(request, reply, page[language] ?? page.en);
}

/** Sends the page that says that there is no page at this path. */
export async function sendMissingPage(site: Pages, request: FastifyRequest, reply: FastifyReply) {
  reply.headers(pageHeaders);
  return sendMissing(await site(), request, reply);
}

/** A page for browsers; for everybody else the same error as from the rest of the API. */
function sendMissing(site: Site, request: FastifyRequest, reply: FastifyReply) {
  if (!wantsHtml(request)) throw nothingHere();
  reply.code(404);
  reply.errorCode = "not_found";
  return sendTranslation(request, reply, site.missingPage);
}

const nothingHere = (): ApiError => new ApiError("not_found", "There is nothing at this path.");

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code);

export type Pages = () => Promise<Site>;

type Rest = { Params: { "*": string } };

/** The address holds a hash of the content. */
const cachedForAYear = "public, max-age=31536000, immutable";
/** Browsers ask each time whether their copy is current. */
const cachedAndChecked = "no-cache";
