// What a page of the documents runs, as one file: three requests have more bytes of headers than of code.
import "./code.ts";
import "./contents.ts";
import "./search.ts";
