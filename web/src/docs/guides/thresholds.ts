import type { Facts } from "../../facts.ts";
import { each, type Html, html } from "../../html.ts";
import type { DocsPage } from "../docs-page.ts";
import { inlineText } from "../inline-text.ts";

export const thresholdsGuide: DocsPage = {
  path: "/docs/thresholds",
  title: "Thresholds",
  description: "What a distance and a threshold mean, and how to choose a threshold for your images.",
  body: ({ models }): Html => html`<div class="prose">
<h1>What a threshold means</h1>
<p class="lead">A model computes an embedding of each face, a list of numbers. Two faces count as the same person
if the distance of their embeddings is not above a threshold. This page explains how to choose it.</p>
<h2>A distance is not a probability</h2>
<p>A distance of 0.03 does not mean “97 % sure”. It says how far apart two embeddings are, and nothing about how
many other people would be as close. <code>verified</code> says one thing: the distance of two faces is not above the
threshold.</p>
<p>Nor is it proof of who somebody is. Siblings, and twins above all, may be closer than the threshold. Years
between two images, make-up, glasses and bad light increase the distance between images of one person. A
photograph of a photograph passes: nothing here checks that a living person was in front of the camera.</p>
<h2>The thresholds of this service</h2>
<p>A call without <code>threshold</code> uses the model's own for its <code>distance_metric</code>. A
threshold is valid only for its own metric and model. It is a distance: 80, for 80 %, would match everybody and
is refused, as is every other number that no distance can exceed (<code>thresholds_max</code> in
<a href="/docs#capabilities">/capabilities</a>).</p>
<p>By <code>cosine</code> and <code>euclidean_l2</code> the lengths of embeddings do not count, and both give the
same verdict. By <code>euclidean</code> they do: embeddings that were scaled, as by <code>l2_normalize</code>, are
refused where the model's own have other lengths. Its verdict may differ from that of the other two close to the
threshold. Choose <code>cosine</code> unless you have a reason.</p>
!${each(models, modelTable)}
<p>The scale of the tester shows where the labelled pairs fall with the precision that runs here. The ranges in
this table hold for all precisions together, so they are a little narrower.</p>
<h2>Two ways to be wrong</h2>
<ul>
<li><strong>A false match</strong>: two people count as one. Its rate among pairs of different people is the
<strong>false match rate, FMR</strong>.</li>
<li><strong>A false non-match</strong>: one person counts as two. Its rate among pairs of the same person is
the <strong>false non-match rate, FNMR</strong>.</li>
</ul>
<p>A lower threshold gives fewer false matches and more false non-matches; a higher one the reverse. No
threshold avoids both. Which error is worse depends on what you do with the answer: letting a stranger in is
not the same as asking somebody for a second image.</p>
<h2 id="choose">Choose your own</h2>
<p>The default threshold was not chosen on your images. Only they can show whether it suits your cameras,
your light and your people:</p>
<ol>
<li>Collect pairs of images as they will come later, each labelled “same” or “different”, from people who
agreed.</li>
<li>Call /verify for all of them and note the <code>distance</code>. It does not depend on the threshold.
Operators of this service can let <code>npm run models -- thresholds --pairs CSV</code> do this and the next
two steps; the thresholds that it stores become the defaults in the table above.</li>
<li>Decide which FMR you can accept. The threshold is the distance that only this share of the “different”
pairs falls below.</li>
<li>Read the FNMR at that threshold from the “same” pairs. If it is too high, take better images rather than
a higher threshold.</li>
<li>Repeat it for each group of people that you will meet, and whenever the model changes.</li>
</ol>
<p>Few pairs prove little. If none of N pairs of different people matched, the true FMR may still be 3 / N
(the “rule of three”, at 95 % confidence): to claim 1 in 10,000, you need 30,000 pairs without a false
match. That holds for pairs that share no person: pairs of the same people tell much less than their number
suggests.</p>
<h2>One against many</h2>
<p>Searching a face among N others makes N comparisons, so a false match is about N times as likely as in one.
A threshold that suits pairs is too high for a search of thousands: choose it for the size of your list, and
let a person look at what was found.</p>
<h2>By group</h2>
<p class="note warn">Models of faces may err more often for some groups of people than for others, for example
by age, sex or origin. The models here have <strong>not</strong> been measured by group. Do not decide about
people with them before you have measured both rates, for each group, on people like yours.</p>
<p>We have one observation of our own, on computer-made images and not on photographs. When the sample images
of this service were made, two drawn people of African ancestry, a man and a woman, had distances of 0.5 to
0.8 of the default threshold: the model took them for one person. This is not a measurement, and drawn faces
show little about real ones. But it is a sign that the threshold may be too high for some groups.</p>
<h2>For programs</h2>
<ul>
<li>Show people what follows from the answer, never a percentage made from a distance.</li>
<li>Close to the threshold, ask for another image instead of deciding.</li>
<li>Keep <code>distance</code>, <code>threshold</code> and <code>model</code> with each decision; you will
need them when you change the threshold.</li>
<li>Give everybody whom the program rejects a way to reach a person.</li>
</ul>
</div>`,
};

function modelTable({ name, title, thresholds, thresholds_from }: Facts["models"][number]): Html {
  const rows = Object.entries(thresholds).map(([metric, threshold]) => ({
    metric,
    threshold,
    from: thresholds_from[metric as keyof typeof thresholds_from],
  }));
  return html`<div class="wide" tabindex="0" role="region" aria-label="Thresholds of ${name}"><table>
<caption>${name}: ${title}</caption>
<thead><tr><th scope="col">Metric</th><th scope="col">Threshold</th><th scope="col">Where it comes from</th></tr></thead>
<tbody>!${each(rows, ({ metric, threshold, from }) => thresholdRow(metric, threshold, from))}</tbody>
</table></div>
`;
}

function thresholdRow(metric: string, threshold: number, from: string): Html {
  return html`<tr><th scope="row"><code>${metric}</code></th><td class="number">${threshold}</td><td>!${inlineText(from)}</td></tr>
`;
}
