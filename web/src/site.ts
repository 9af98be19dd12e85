import { Worker } from "node:worker_threads";
import { firstMessage } from "@faceline/runtime/thread-message";
import type { AssetName } from "./assets.ts";
import type { Content } from "./content.ts";
import type { Facts } from "./facts.ts";
import type { RenderedSite, Translations } from "./render.ts";

/**
 * Renders all pages in a thread of its own, which ends afterwards: requests do not wait for it, and memory
 * that only rendering needs is freed with the thread. Throws if the thread fails.
 */
export async function openSite(facts: Facts): Promise<Site> {
  const thread = new Worker(new URL("./render-thread.ts", import.meta.url), {
    workerData: facts,
  });
  return new Site((await firstMessage(thread, "the pages were not rendered")) as RenderedSite);
}

/**
 * Pages and assets, ready in memory. Their number does not depend on requests, so they need no further bound.
 */
export class Site {
  readonly #rendered: RenderedSite;

  constructor(rendered: RenderedSite) {
    this.#rendered = rendered;
  }

  /** Undefined: there is no page, and no file of the site, at this path. */
  findPage(path: string): Translations | undefined {
    return this.#rendered.pages.get(path);
  }

  /** The page that says that there is none. */
  get missingPage(): Translations {
    return this.#rendered.missingPage;
  }

  /** The path of an asset. */
  address(name: AssetName): string {
    return this.#rendered.addresses.get(name)!;
  }

  /** Undefined: there is no asset at this path. */
  findAsset(path: string): Content | undefined {
    return this.#rendered.assets.get(path);
  }
}
