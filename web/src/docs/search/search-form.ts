import { type Html, html } from "@faceline/runtime/design/html";

/** Field that searches in the documents: browser/search.ts fills its results. Hidden without scripts. */
export const searchForm = (): Html => html`<form class="search" role="search" action="/docs">
<label class="visually-hidden" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" maxlength="100" autocomplete="off" spellcheck="false" aria-describedby="search-help">
<kbd aria-hidden="true">/</kbd>
<p id="search-help" class="visually-hidden">Press the down arrow to reach the results.</p>
<div class="results" hidden></div>
</form>`;
