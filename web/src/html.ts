export { each, type Html, html, markup, nothing } from "@faceline/runtime/design/html";
