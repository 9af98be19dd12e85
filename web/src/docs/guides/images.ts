import type { Facts } from "../../facts.ts";
import { formatBytes, formatCount, formatMillions } from "../../format.ts";
import { each, type Html, html } from "../../html.ts";
import type { DocsPage } from "../docs-page.ts";

export const imagesGuide: DocsPage = {
  path: "/docs/images",
  title: "Images",
  description: "What an image may be, how to send it, and why a face is not found.",
  body: ({ limits, models }): Html => html`<div class="prose">
<h1>Images</h1>
<p class="lead">What may be sent, how to send it, and what to do when a face is not found.</p>
<h2>What an image may be</h2>
<ul>
<li><strong>Format:</strong> JPEG, PNG, WebP or AVIF. The service looks at the bytes, not at the file name or
the media type. HEIC, GIF, BMP, TIFF and SVG are refused: convert them. On macOS,
<code>sips -s format jpeg photo.heic --out photo.jpg</code> makes a JPEG of a HEIC picture; elsewhere
<code>heif-convert photo.heic photo.jpg</code> of libheif does. An iPhone takes JPEGs after Settings, Camera,
Formats, Most Compatible.</li>
<li><strong>Size:</strong> at most ${formatBytes(limits.image_bytes)} and
${formatMillions(limits.image_pixels)} pixels; each side at least ${limits.image_side_min_px} pixels. The
whole body is at most ${formatBytes(limits.body_bytes)}.</li>
<li><strong>Orientation:</strong> the EXIF orientation is applied. All positions in replies are in pixels of
the upright image.</li>
<li><strong>Encoding:</strong> interlaced PNGs and progressive JPEGs need much memory to decode, so very large
ones are refused. AVIFs above about 12 megapixels are refused too (10 with chroma of full size, 8 with 10
bits), but for those in tiles, and take ten times as long to decode. Baseline JPEG is the best choice.</li>
</ul>
<p>Larger images seldom give better answers. Models work on faces of !${each(models, inputSize)} pixels, and
by default workers shrink images with a side above 2,560 pixels to 1,600. Smaller images are sent
faster.</p>
<h2>How to send it</h2>
<ul>
<li><strong>As a file of a form</strong> (<code>multipart/form-data</code>), under the name of the field. This
is the least work, and a quarter fewer bytes than Base64.</li>
<li><strong>As Base64 or a data URL</strong> in JSON.</li>
<li><strong>Not as an address or a path.</strong> The service opens neither:
<a href="/docs/errors#unsupported_image_source"><code>unsupported_image_source</code></a>.</li>
</ul>
<p>/verify and /compare accept the embedding that an earlier <a href="/docs#represent">/represent</a> returned in
place of an image. Comparing embeddings runs no model, so it is fast. Store the <code>model_version</code> with
an embedding and send it along: if the model runs with other weights by then, the call is refused, because
distances between the embeddings of two models mean nothing.</p>
<h2>Which face counts</h2>
<ul>
<li><a href="/docs#verify">/verify</a> uses the pair of faces with the smallest distance.
<code>face_policy</code> changes that: <code>largest</code> uses the largest face of each image,
<code>single_only</code> refuses images with several.</li>
<li><a href="/docs#compare">/compare</a> uses the largest face of the source, or the one that
<code>face_index</code> names.</li>
<li><a href="/docs#represent">/represent</a> returns up to ${formatCount(limits.faces)} faces, the largest
first: by the area of <code>facial_area</code>; of equal ones that with the higher
<code>face_confidence</code>.</li>
<li>/verify and /compare search a reduced copy of the image for clear faces first. If they find one, they
may miss small faces beside it; <code>missed_width_share</code> in
<a href="/docs#capabilities">/capabilities</a> says how small. <code>all_faces: true</code> searches every
image at full resolution, and takes longer.</li>
</ul>
<h2>No face was found</h2>
<p><a href="/docs/errors#no_face_detected"><code>no_face_detected</code></a> means that no face passed the
checks. Usual reasons:</p>
<ul>
<li>The face is turned away, covered, cut by the edge, out of focus, or very dark.</li>
<li>It is small in the image. Crop the image to the person.</li>
<li>It fills the whole image. Leave some room around the head.</li>
<li>It lies on its side, and the image has no EXIF orientation that says so.</li>
</ul>
<p>Detectors differ in what they miss: small faces, tight ones, or those that the edge cuts. If
<a href="/docs#capabilities">/capabilities</a> lists several, try another <code>detector_backend</code>.
Embeddings of one model may be compared, whichever detector found the faces.</p>
<p>With <code>enforce_detection: false</code>, the whole image is used as the face where none is found. The
answer says so with <code>face_found: false</code>, <code>faces_compared</code> is 0 for that image, and neither
<code>verified</code> nor <code>match</code> is true then, however small the distance: two backgrounds are often
close. Who knows that the images were cropped to faces may compare <code>distance</code> with
<code>threshold</code>. Do not store embeddings of images in which no face was found.</p>
</div>`,
};

const inputSize = ({ input_px }: Facts["models"][number], i: number): Html =>
  html`${i === 0 ? "" : " or "}${input_px}`;
