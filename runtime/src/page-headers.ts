/**
 * Returns the headers of a page that loads scripts, styles and data only from its own server. Nothing is
 * inline, strings never become code or markup in the browser (Trusted Types without a policy), and no other
 * page may frame it. `sources`: further directives of the policy, or replacements of these.
 */
export const strictPageHeaders = (sources: { [directive: string]: string }) => ({
  "content-security-policy": Object.entries({
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    ...sources,
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
  })
    .map(([directive, source]) => `${directive} ${source}`)
    .join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});
