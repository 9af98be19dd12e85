import { strictPageHeaders } from "@faceline/runtime/page-headers";

/**
 * The headers of every page. A page may also show an image that the reader has just chosen (`blob:`), and
 * use the camera if the reader allows it.
 *
 * There is no Strict-Transport-Security: it belongs to the proxy that serves TLS.
 */
export const pageHeaders = {
  ...strictPageHeaders({ "font-src": "'self'", "img-src": "'self' blob:", "form-action": "'self'" }),
  "permissions-policy": "camera=(self), geolocation=(), microphone=(), payment=(), usb=()",
};
