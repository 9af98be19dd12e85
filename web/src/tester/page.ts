import type { Assets } from "../assets.ts";
import { codeChoice, copyButton } from "../docs/code-block.ts";
import type { Facts } from "../facts.ts";
import { formatCount } from "../format.ts";
import { each, type Html, html, markup, nothing } from "../html.ts";
import type { Page } from "../page.ts";
import { pictureName, previewName, type SampleName, sampleNames, thumbnailName } from "../samples.ts";

/** The public tester: two images, and how far apart their faces are. */
export const testerPage: Page = {
  path: "/",
  title: "Do two images show the same face?",
  description: "Try how far apart two faces are: a self-hosted HTTP API, with its tester.",
  styles: ["tester.css"],
  scripts: ["tester.en.js"],
  body: (facts, assets): Html => html`!${introduction()}
!${testerOf(facts, assets)}
!${endpoints(facts)}
!${beforeYouSend(facts)}`,
};

const introduction = (): Html => html`<div class="prose intro">
<h1>Do two images show the same face?</h1>
<p class="lead">This service measures how far apart two faces are, and says whether that is closer than a
threshold.</p>
</div>`;

const testerOf = (facts: Facts, assets: Assets): Html =>
  facts.tester.on ? tester(facts, assets) : turnedOff();

/** Place that the script fills. Without scripts it says so; the documents need none. */
const tester = (
  facts: Facts,
  assets: Assets,
): Html => html`<section id="tester" class="tester" aria-label="Tester"
  data-keys-needed="${String(facts.keysNeeded)}" data-labelled-pairs="${labelledPairs(facts)}"
  data-candidates-max="${facts.tester.candidates}">
<noscript><p class="note warn">The tester needs JavaScript. <a href="/docs/quick-start">The quick start</a> shows the
same request with curl.</p></noscript>
<form class="settings">
<div class="first-row">
<fieldset class="calls"><legend class="visually-hidden">What to try</legend>
<label><input type="radio" name="call" value="verify" checked>Two images</label>
<label><input type="radio" name="call" value="represent">One image</label>
<label><input type="radio" name="call" value="compare">One against many</label>
</fieldset>
<div class="samples" role="group" aria-labelledby="samples-title">
<p id="samples-title">Samples: drawn people who do not exist</p>
<div class="thumbnails">!${each(sampleNames, (name) => sampleButton(name, assets))}</div>
</div>
</div>
<div class="slots"></div>
<div class="under-slots">
<p class="promise">Your browser shrinks images before upload. We keep them in memory for seconds and never store
them. <a href="/docs/privacy">What happens to an image</a></p>
<details class="options"><summary>Model and threshold</summary>
<div class="choices">
<label><span>Model</span><select name="model"></select></label>
<label><span>Detector</span><select name="detector"></select></label>
<label class="of-distance"><span>Metric</span><select name="metric"></select></label>
<label class="of-distance"><span>Threshold</span><input name="threshold" type="text" inputmode="decimal" autocomplete="off" size="8" aria-describedby="fault"></label>
</div>
<p class="fault" id="fault" role="alert"></p>
<details class="card"><summary>How often it is wrong</summary><div></div></details>
</details>
</div>
</form>
<section class="result" aria-labelledby="headline">
<h2 id="headline" tabindex="-1">Add two images to compare</h2>
<p class="explanation"></p>
<div class="scale-place"></div>
<div class="answer"></div>
<div class="evidence" hidden>
<details class="time"><summary></summary><div class="bars"></div></details>
<figure class="code json"><figcaption><span>Response</span>!${copyButton()}</figcaption>
<pre tabindex="0" role="region" aria-label="Response as JSON"><code></code></pre></figure>
<div class="same-call">!${codeChoice({ id: "tester", caption: "The same request" })}
!${keyNote(facts)}<p class="note-of-call"></p>
<p><button type="button" class="copy plain" hidden>Copy link</button> to these settings, with samples as images</p></div>
</div>
</section>
<dialog class="camera" aria-labelledby="camera-title">
<h2 id="camera-title">Camera</h2>
<video playsinline muted></video>
<p class="trouble" role="alert" hidden></p>
<p class="actions"><button type="button" class="button take">Take the image</button>
<button type="button" class="plain close">Close</button></p>
</dialog>
</section>`;

const keyNote = ({ keysNeeded }: Facts): Html =>
  keysNeeded
    ? html`<p><code>$FACELINE_KEY</code> is your API key: <a href="/docs/keys">how to get one</a>.</p>
`
    : nothing;

function sampleButton(name: SampleName, assets: Assets): Html {
  return html`<button type="button" class="sample" data-name="${name}"
  data-picture="${assets.address(pictureName(name))}"
  data-preview="${assets.address(previewName(name))}"><img src="${assets.address(thumbnailName(name))}"
  alt="Sample ${name}" title="${name}" width="48" height="48"></button>
`;
}

const turnedOff = (): Html => html`<section class="turned-off">
<p class="note">The operator of this service has turned the tester off. The API itself needs a key:
<a href="/docs/keys">how to get one</a>.</p>
<p class="actions"><a class="button" href="/docs/quick-start">Quick start</a>
<a class="button quiet" href="/docs/reference">Reference</a></p>
</section>`;

const endpoints = ({ limits }: Facts): Html => html`<h2 class="section">For developers</h2>
<div class="cards">
<section><h3><code>POST /verify</code></h3><p>Two images, or two stored embeddings: their distance, the threshold, and whether the distance is within it.</p><p><a href="/docs/reference#verify">Fields of /verify</a></p></section>
<section><h3><code>POST /represent</code></h3><p>Every face in an image, with its position and its embedding: a list of numbers to store and compare later.</p><p><a href="/docs/reference#represent">Fields of /represent</a></p></section>
<section><h3><code>POST /compare</code></h3><p>One face against up to ${formatCount(limits.candidate_vectors)} others, and which of them is nearest.</p><p><a href="/docs/reference#compare">Fields of /compare</a></p></section>
</div>`;

const beforeYouSend = (facts: Facts): Html => html`<div class="prose">
<h2>Before you rely on it</h2>
<ul>
<li>A distance is not a probability, and not proof of identity. Siblings and twins are often closer than the
threshold: <a href="/docs/thresholds">what a threshold means</a>. In an image with several faces the closest face
is used, so chance matches are more likely.</li>
<li>Nothing here checks for a living person in front of the camera: a photograph of a photograph passes.</li>
<li>Error rates may differ between groups of people. This service has <strong>not</strong> measured its models by
group: do not decide about people until you have.</li>
<li>Send images only with the consent of the people in them. In many places the law protects faces more than other data.</li>
<li>!${markup(keySentence(facts))}:
<a href="/docs/keys">keys</a> and <a href="/docs/limits">limits</a>.</li>
</ul>
</div>`;

function keySentence({ keysNeeded, accounts }: Facts): Html {
  if (!keysNeeded) return html`Requests to this service need no key`;
  if (!accounts) return html`API requests need a key, which the operator of this service gives you`;
  return html`API requests need a key: join the <a href="/waitlist">waitlist</a>. Once approved, create one on your
<a href="/dashboard">dashboard</a>. More on`;
}

/** The distances of labelled pairs by model and metric, for the script. */
const labelledPairs = ({ models }: Facts): string =>
  JSON.stringify(
    Object.fromEntries(models.map(({ name, labelled_pairs }) => [name, labelled_pairs ?? null])),
  );
