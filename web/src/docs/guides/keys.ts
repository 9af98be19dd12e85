import type { Facts } from "../../facts.ts";
import { formatBytes, formatCount } from "../../format.ts";
import { type Html, html, markup, nothing } from "../../html.ts";
import { codeBlock } from "../code-block.ts";
import type { DocsPage } from "../docs-page.ts";

export const keysGuide: DocsPage = {
  path: "/docs/keys",
  title: "Keys",
  description: "How to send an API key, and how operators make, limit and revoke keys.",
  body: (facts): Html => html`<div class="prose">
<h1>Keys</h1>
<p class="lead">A key identifies the team that calls. Limits belong to the team: all its keys share them.</p>
!${getPart(facts)}!${sendPart(facts)}
<ul>
<li>Without a key a call is answered with 401
<a href="/docs/errors#missing_api_key"><code>missing_api_key</code></a>, with an unknown one 401
<a href="/docs/errors#invalid_api_key"><code>invalid_api_key</code></a>, with one that was
revoked, or replaced and has expired, 403 <a href="/docs/errors#key_disabled"><code>key_disabled</code></a>: its
<code>detail</code> says which.</li>
<li>The key is checked before the body is read.</li>
<li><a href="/docs#capabilities">/capabilities</a>, <a href="/docs#health">/health</a> and the other GET
requests need no key.</li>
</ul>
<h2>Keep it secret</h2>
<ul>
<li>Keep keys on servers: in an environment variable or a secret store, not in a repository, and not in an app
or a web page, where everybody can read them.</li>
<li>Use a separate key for each program, so that each can be revoked alone.</li>
<li>The service stores the SHA-256 of a key and never the key itself, so nobody can look it up later.</li>
</ul>
<h2 id="operators">For operators</h2>
<p>While the service runs, from its folder:</p>
!${codeBlock({ caption: "Make, list, revoke, limit and count", code: commands, language: "curl" })}
<ul>
<li>A key is shown once, when it is made.</li>
<li>A revoked key is refused at once, by every ingress.</li>
<li>A team without limits of its own has the defaults: !${limitList(facts)}. <code>npm run keys --
--help</code> has every option.</li>
</ul>
</div>`,
};

function getPart({ keysNeeded, accounts }: Facts): Html {
  if (!keysNeeded) return nothing;
  return html`<h2>Get a key</h2>
<ul>
!${markup(accounts ? waitlistWay() : operatorWay())}
<li>If you run the service yourself with <code>npm start</code>, its last lines show a key for development. It is
also in <code>.faceline/dev-key</code>. <a href="#operators">Make others</a> with a command.</li>
</ul>
<h2>Send it</h2>
`;
}

const waitlistWay =
  (): Html => html`<li>Join the <a href="/waitlist">waitlist</a>. Once an operator has approved
you, you make your own keys on the <a href="/dashboard">dashboard</a>.</li>`;

const operatorWay = (): Html => html`<li>Ask the operator of this service for one.</li>`;

function sendPart({ keysNeeded }: Facts): Html {
  if (!keysNeeded) return html`<p class="note">This service takes calls without a key.</p>`;
  return html`<p>Send the key in one of two headers: <code>x-api-key: KEY</code> or <code>Authorization: Bearer KEY</code>.</p>`;
}

function limitList({ limits, teamBodyBytesPerSecond }: Facts): Html {
  const { team_requests_per_second, team_requests_burst, team_in_flight } = limits;
  return html`${orUnlimited(team_requests_per_second, formatCount)} calls a second, ${orUnlimited(team_requests_burst, formatCount)} at once after a pause, ${orUnlimited(team_in_flight, formatCount)} in flight, and ${orUnlimited(teamBodyBytesPerSecond, formatBytes)} of bodies a second at each ingress`;
}

const orUnlimited = (limit: number, format: (limit: number) => string): string =>
  limit === 0 ? "unlimited" : format(limit);

const commands = `npm run keys -- create --team ants --name laptop
npm run keys -- list
npm run keys -- revoke --prefix fl_Ab3d
npm run keys -- limits --team ants --per-second 200 --burst 400 --in-flight 256
npm run keys -- usage --team ants`;
