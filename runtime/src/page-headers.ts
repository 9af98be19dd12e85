/**
 * Returns the headers of a page that loads scripts, styles and data from its own server alone. Nothing is
 * inline, strings never become code or markup in the browser (Trusted Types without a policy), and no other
 * page may frame it. `sources`: further directives of the policy.
 */
export const strictPageHeaders = (sources: { [directive: string]: string }) => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    ...Object.entries(sources).map(([directive, source]) => `${directive} ${source}`),
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
});
