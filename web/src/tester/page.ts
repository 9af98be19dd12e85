import type { Assets } from "../assets.ts";
import { codeChoice, copyButton } from "../docs/code-block.ts";
import type { Facts } from "../facts.ts";
import { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
import type { TranslatedPage } from "../page.ts";
import { imageName, previewName, type SampleName, sampleNames, thumbnailName } from "../samples.ts";
import { fill } from "../words/fill.ts";
import type { Words } from "../words/language.ts";
import { linkedText } from "../words/linked-text.ts";

/** The public tester: two images, and how far apart their faces are. */
export const testerPage: TranslatedPage = (words) => {
  const text = words.homePage;
  const { title, lead } = words.tester.modes.verify;
  return {
    path: "/",
    title,
    description: text.description,
    words,
    styles: ["tester.css"],
    scripts: [],
    body: (facts, assets): Html => html`<div class="prose intro">
<h1>${title}</h1>
<p class="lead">${lead}</p>
</div>
!${testerOf(words, facts, assets)}
!${endpoints(words, facts)}
!${beforeYouSend(text, facts)}`,
  };
};

const testerOf = (words: Words, facts: Facts, assets: Assets): Html =>
  facts.tester.on ? tester(words, facts, assets) : turnedOff(words.homePage);

/** Place that the script fills, with its words. Without scripts it says so; the documents need none. */
function tester({ tester: words, homePage: text, copying }: Words, facts: Facts, assets: Assets): Html {
  const key = facts.keysNeeded ? html`<p>!${linkedText(text.key)}</p>` : nothing;
  const choice = { id: "tester", caption: text.sameRequest, legend: text.requestLanguage, copying };
  return html`<section id="tester" class="tester" aria-label="${text.tester}"
  data-keys-needed="${String(facts.keysNeeded)}"
  data-candidates-max="${facts.tester.candidates}" data-words="${JSON.stringify(words)}">
<noscript><p class="note warn">!${linkedText(text.noScript)}</p></noscript>
<form class="settings">
<div class="first-row">
<fieldset class="calls"><legend class="visually-hidden">${text.what}</legend>
<label><input type="radio" name="call" value="verify" checked>${text.two}</label>
<label><input type="radio" name="call" value="represent">${text.one}</label>
<label><input type="radio" name="call" value="compare">${text.many}</label>
</fieldset>
<div class="samples" role="group" aria-labelledby="samples-title">
<p id="samples-title">${text.samples}</p>
<div class="thumbnails">!${each(sampleNames, (name) => sampleButton(fill(words.image.sample, { name }), name, assets))}</div>
</div>
</div>
<div class="slots"></div>
<div class="under-slots">
<p class="promise"><span class="of-many">${text.references} </span>!${linkedText(text.promise)}</p>
<details class="more options"><summary>${text.model}<span class="of-distance"> ${text.andThreshold}</span></summary>
<div class="choices">
<label><span>${text.model}</span><select name="model"></select></label>
<label><span>${text.detector}</span><select name="detector"></select></label>
<label class="of-distance"><span>${text.metric}</span><select name="metric"></select></label>
<label class="of-distance"><span>${words.threshold.label}</span><input name="threshold" type="text" inputmode="decimal" autocomplete="off" size="8" aria-describedby="fault"></label>
</div>
<p class="fault" id="fault" role="alert"></p>
<details class="card"><summary>${text.card}</summary><div></div><p>!${linkedText(text.licences)}</p></details>
</details>
</div>
</form>
<section class="result" aria-labelledby="headline">
<h2 id="headline" tabindex="-1">${words.headlines.addTwo}</h2>
<div class="scale-place"></div>
<p class="explanation"></p>
<div class="answer"></div>
<details class="fold sure" hidden><summary>${text.sure}</summary><div></div>
<p>!${linkedText(text.measure)}</p></details>
<div class="evidence" hidden>
<details class="fold time"><summary></summary><div class="bars"></div></details>
<figure class="code json"><figcaption><span>${text.response}</span>!${copyButton(copying)}</figcaption>
<pre tabindex="0" role="region" aria-label="${text.responseAsJson}"><code></code></pre></figure>
<div class="same-call">!${codeChoice(choice)}
!${markup(key)}<p class="note-of-call"></p>
!${copyButton({ ...copying, copy: text.copyLink })}</div>
</div>
</section>
<dialog class="camera" aria-labelledby="camera-title">
<h2 id="camera-title">${words.image.camera}</h2>
<video playsinline muted></video>
<p class="trouble" role="alert" hidden></p>
<p class="actions"><button type="button" class="button take">${text.take}</button>
<button type="button" class="plain close">${text.close}</button></p>
</dialog>
</section>
<script type="module" src="${assets.address("tester.js")}"></script>`;
}

function sampleButton(alt: string, name: SampleName, assets: Assets): Html {
  return html`<button type="button" class="sample" data-name="${name}"
  data-image="${assets.address(imageName(name))}"
  data-preview="${assets.address(previewName(name))}"><img src="${assets.address(thumbnailName(name))}"
  alt="${alt}" title="${name}" width="48" height="48"></button>
`;
}

const turnedOff = (text: PageWords): Html => html`<section class="turned-off">
<p class="note">!${linkedText(text.turnedOff)}</p>
<p class="actions"><a class="button" href="/docs/quick-start">${text.quickStart}</a>
<a class="button quiet" href="/docs/reference">${text.reference}</a></p>
</section>`;

function endpoints({ homePage: text, language }: Words, { limits }: Facts): Html {
  const cards = [
    { path: "verify", words: text.verify },
    { path: "represent", words: text.represent },
    {
      path: "compare",
      words: fill(text.compare, { candidates: limits.candidate_vectors.toLocaleString(language) }),
    },
  ];
  return html`<h2 class="section">${text.developers}</h2>
<div class="cards">
!${each(
    cards,
    ({
      path,
      words,
    }) => html`<section><h3><code>POST /${path}</code></h3><p>${words}</p><p><a href="/docs/reference/${path}">${fill(text.fieldsOf, { path: `/${path}` })}</a></p></section>
`,
  )}</div>`;
}

const beforeYouSend = (text: PageWords, facts: Facts): Html => html`<div class="prose">
<h2>${text.before}</h2>
<ul>
!${each(
  [...text.cautions, facts.keysNeeded ? text.keyNeeded : text.noKey],
  (caution) => html`<li>!${linkedText(caution)}</li>
`,
)}</ul>
</div>`;

type PageWords = Words["homePage"];
