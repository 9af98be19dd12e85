// What a page of the documents runs, as one file: headers of three would take more bytes than the code.
import "./code.ts";
import "./contents.ts";
import "./search.ts";
