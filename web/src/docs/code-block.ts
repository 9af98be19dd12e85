import { each, type Html, html, markup } from "@faceline/runtime/design/html";
import { english, type Words } from "../words/language.ts";
import { highlight, type Language } from "./highlight.ts";

/** The same call in three languages. */
export type Snippets = Record<CallLanguage, string>;
export type CallLanguage = "curl" | "python" | "typescript";

/** Returns code under a caption, with a button that copies it. */
export function codeBlock({ caption, label = caption, code, language }: Code): Html {
  return html`<figure class="code">
<figcaption><span>${caption}</span>!${copyButton()}</figcaption>
<pre tabindex="0" role="region" aria-label="${label}"><code>!${highlight(code, language)}</code></pre>
</figure>`;
}

/**
 * Returns a call in three languages, one of them visible. Radio buttons and CSS do it, so that it works
 * without a script, which only remembers the choice. `id` is unique in the page. Without snippets a script
 * fills it.
 */
export function codeChoice({ id, caption, legend, copying, snippets }: CodeChoice): Html {
  return html`<figure class="code choice">
<figcaption><fieldset class="languages"><legend class="visually-hidden">${legend ?? `${caption}: language`}</legend>!${each(languages, ({ language, name }) => languageRadio(language, name, id))}</fieldset>!${copyButton(copying)}</figcaption>
!${each(languages, ({ language, name }) => panel(snippets?.[language] ?? "", language, `${caption}, ${name}`))}
</figure>`;
}

const languages = [
  { language: "curl", name: "curl" },
  { language: "python", name: "Python" },
  { language: "typescript", name: "TypeScript" },
] as const;

function languageRadio(language: CallLanguage, name: string, id: string): Html {
  const value = html`type="radio" name="${id}-language" value="${language}"`;
  return language === "curl"
    ? html`<label><input !${markup(value)} checked>${name}</label>`
    : html`<label><input !${markup(value)}>${name}</label>`;
}

function panel(code: string, language: CallLanguage, label: string): Html {
  return html`<pre class="in-${language}" tabindex="0" role="region" aria-label="${label}"><code>!${highlight(code, language)}</code></pre>
`;
}

export function copyButton(words: CopyWords = english.copying): Html {
  return html`<button type="button" class="copy" data-copied="${words.copied}" data-refused="${words.refused}" hidden>${words.copy}</button>`;
}

type CopyWords = Words["copying"];

/** `label`: the name of the block, unique in its page; the caption without it. */
type Code = { caption: string; label?: string; code: string; language: Language };
type CodeChoice = {
  id: string;
  caption: string;
  /** Name of the choice of a language, and words of the button, on a page that is not in English. */
  legend?: string;
  copying?: CopyWords;
  snippets?: Snippets;
};
