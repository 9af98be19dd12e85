import { type ErrorCode, errorTable } from "@faceline/contracts/http/errors";
import { each, type Html, html } from "../../html.ts";
import { codeBlock } from "../code-block.ts";
import type { DocsPage } from "../docs-page.ts";
import { inlineText } from "../inline-text.ts";

export const errorsGuide: DocsPage = {
  path: "/docs/errors",
  title: "Errors",
  description: "Every error code of the API: when it happens and what to do.",
  body: (): Html => html`<div class="prose">
<h1>Errors</h1>
<p class="lead">Every error reply has the same fields, whatever the path, the method and the cause.</p>
!${codeBlock({ caption: "An error reply", code: JSON.stringify(example, null, 2), language: "json" })}
<ul>
<li><code>error</code> is a stable code, the field that programs should compare.</li>
<li><code>detail</code> is a sentence for people and may be reworded. It never repeats a value that was sent.</li>
<li><code>request_id</code> identifies the call in the logs of the service. The header
<code>x-request-id</code> has it too.</li>
<li><code>type</code> is the address of the code's entry on this page.</li>
<li><code>field</code> is the field or header at fault. <code>index</code> is 0 and 1 for <code>img1</code>
and <code>img2</code>, and the position of a candidate in the request, counted from 0: <code>candidate 2</code>
of a <code>detail</code> is the third. Both are there only where they apply.</li>
</ul>
<p>The content type is <code>application/problem+json</code> (RFC 9457) if <code>Accept</code> names it, and
otherwise <code>application/json</code>.</p>
<h2>Fields that no call has</h2>
<p>They are ignored, so that clients of other services work. One that is nearly a field of the call is refused
as <a href="#invalid_request"><code>invalid_request</code></a>, unless that field was sent too:
<code>model</code> in place of <code>model_name</code>, or <code>threshhold</code>. Otherwise the default would
be used, and the answer would be one to another question.</p>
!${each(classes, errorClass)}
</div>`,
};

/** Codes with what they have in common, by the first digit of the status. */
const classes = [
  {
    title: "The call has to change: 4xx",
    text: "The same call will fail again. Only after 429 may it be sent again unchanged, later.",
    codes: codesWith((status) => status < 500),
  },
  {
    title: "The service could not answer: 5xx",
    text: "503 is temporary: `Retry-After` says after how many seconds to try again.",
    codes: codesWith((status) => status >= 500),
  },
];

function codesWith(test: (status: number) => boolean): ErrorCode[] {
  return (Object.keys(errorTable) as ErrorCode[]).filter((code) => test(errorTable[code].status));
}

function errorClass({ title, text, codes }: (typeof classes)[number]): Html {
  return html`<h2>${title}</h2>
<p>!${inlineText(text)} <a href="/docs#type-Problem">All fields of an error reply</a>.</p>
<dl class="fields">!${each(codes, errorEntry)}</dl>
`;
}

function errorEntry(code: ErrorCode): Html {
  const { status, when, next } = errorTable[code];
  return html`<div id="${code}"><dt><a href="#${code}"><code>${code}</code></a><span class="kind">${status}</span></dt>
<dd><p>!${inlineText(when)}</p><p><strong>!${inlineText(next)}</strong></p></dd></div>
`;
}

const example = {
  error: "no_face_detected",
  detail: "No face was found in img1.",
  request_id: "01a1fd7b-f82f-723a-ba87-61ba8be62e83",
  status: 400,
  title: "No face detected",
  type: "/problems/no_face_detected",
  field: "img1",
  index: 0,
};
