/**
 * The headers of every page. Scripts, styles, fonts and images come from this service alone, nothing is
 * inline, and strings never become code or markup in the browser (Trusted Types without a policy). A page may
 * also show a picture that the reader has just chosen (`blob:`), and use the camera if the reader allows it.
 *
 * There is no Strict-Transport-Security: it belongs to the proxy that serves TLS.
 */
export const pageHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(self), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
