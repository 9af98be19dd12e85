// Covers the words of the documents, pages, messages and alerts.
import assert from "node:assert/strict";
import test from "node:test";
import { proseOf } from "./prose.ts";
import { findFiles, isTest, sourceFiles } from "./source.ts";

/**
 * Words that are not used, each with the word that is: the glossary. Only prose counts: no code, no names in
 * backticks, no targets of links, no comments of code.
 */
const words: [pattern: RegExp, instead: string][] = [
  [/pictures?/, "image"],
  [/repl(?:y|ies)/, "response"],
  // The verb is free: "call the API", "whoever calls".
  [
    /(?:an?|the|this|that|these|those|each|every|per|one|two|all|no|any|its|your|their|next|whole|such|new|same|equal|first|single|bad|large|other|another|anonymous|compute|of|for|with|in|between|ten|100|refused|slow|failed|temporary|concurrent) calls?(?! the| for)/,
    "request",
  ],
  [
    /calls (?:are|were|get|that|of|in|to|with|wait|which|fail|from|on|at|into|may|must|have|by|up|over|a second)|calls\.|calls,/,
    "requests",
  ],
  [/answers? to (?:an?|the|your|each|this|one) (?:\w+ )?requests?/, "response"],
  [/sign-in address(?:es)?/, "sign-in link"],
  [/(?:calls|requests) at once after a pause/, "burst"],
  [/(?:refused|refusals?) for now/, "temporary"],
  [/people who (?:have )?agreed/, "consent"],
  [/(?<!there )(?:is|are) no \w+ (?:that|which|of)/, "is not a"],
  [/how to get a new one/, "get a new …"],
  [/(?:is|are|was|were|be|been) told/, "learns, is notified"],
  [/(?:that try|tries|tried) again/, "retry"],
  [/anew/, "again"],
  [/mend(?:s|ed|ing)?/, "fix"],
  [/for ever/, "forever"],
  [/go(?:es)? on(?! the| a)/, "continue"],
  [/some \d[\d.,]*/, "about"],
  [/from (?:status )?[\d.]+ on/, "or later, and above"],
  [/at (?:the|its|their) start(?! of)/, "at startup"],
  [/the (?:release|commit|version|line|one) before(?! (?:it|an?|the|that|which|you))/, "the previous"],
  [/unless (?:it is )?(?:said|named)/, "unless noted"],
  [/rooms/, "packages, folders"],
  [/(?:\d+|an? \w+) an? (?:lane|pool|person|worker|copy|request|image|page|batch|key|zone)/, "per"],
  [/(?:requests|images|tasks|traces|bytes|embeddings|decisions) a second/, "per second"],
];

test("documents, pages, messages and alerts use the words of the glossary", () => {
  const files = [
    ...findFiles("**/*.md"),
    ...sourceFiles().filter(
      (file) => !isTest(file) && !/\/testing\/|^tools\/(?:e2e|simulation|tidy)\//.test(file),
    ),
    ...findFiles("deploy/{observe,compose}/**/*.{yml,yaml,json}", "deploy/chart/values*"),
  ];
  const patterns = words.map(([pattern, instead]) => ({
    pattern: new RegExp(`(?<![\\w/-])(?:${pattern.source.replaceAll(" ", "\\s+")})(?![\\w-])`, "gi"),
    instead,
  }));
  const offenders = files.flatMap((file) => {
    const text = proseOf(file);
    return patterns.flatMap(({ pattern, instead }) =>
      [...text.matchAll(pattern)].map(({ 0: found, index }) => {
        const line = text.slice(0, index).split("\n").length;
        return `${file}:${line}: “${found.replaceAll(/\s+/g, " ")}”: ${instead}`;
      }),
    );
  });
  assert.ok(offenders.length === 0, `\n${offenders.join("\n")}`);
});
