import assert from "node:assert/strict";
import { test } from "node:test";
import { allWords, chooseLanguage } from "./language.ts";

test("the language that a reader prefers is chosen, and English for readers of none", () => {
  const chosen = {
    "": "en",
    de: "de",
    "de-AT": "de",
    "ES-419,es;q=0.9,en;q=0.8": "es",
    "en-GB,en;q=0.9,de;q=0.8": "en",
    "fr-FR, fr;q=0.9, es ; q=0.5, en;q=0.1": "es",
    "de;q=0.2, es;q=0.7": "es",
    "de;q=0.5, es;q=0.5": "de",
    "fr, pt": "en",
    "de;q=0": "en",
    "de;q=0, *": "en",
    "*": "en",
    "en;q=0, *;q=0.5": "de",
    "en;q=0": "en",
    "de;q=2": "en",
    "de;q=0.1234, es;q=0.1": "es",
    "deu, español": "en",
    ",,;q=1,": "en",
  };
  for (const [accepted, language] of Object.entries(chosen)) {
    assert.equal(chooseLanguage(accepted), language, accepted);
  }
  assert.equal(chooseLanguage(undefined), "en");
});

test("a page in English alone is English for everybody", () => {
  assert.equal(chooseLanguage("de", ["en"]), "en");
  assert.equal(chooseLanguage("en;q=0, *", ["en"]), "en");
});

test("a header of any length is read in part", () => {
  assert.equal(chooseLanguage(`${"fr,".repeat(5_000)}de`), "en");
  assert.equal(chooseLanguage(`de${"-a".repeat(5_000)}`), "en");
});

test("a text is in no two languages the same by mistake, and none is empty", () => {
  const textsOf = (words: object): [string, string][] =>
    Object.entries(words).flatMap(([name, value]: [string, unknown]) => {
      if (typeof value === "string") return [[name, value] as [string, string]];
      if (typeof value !== "object" || value === null) return [];
      return textsOf(value).map(([inner, text]): [string, string] => [`${name}.${inner}`, text]);
    });
  const { en, ...others } = allWords;
  const english = new Map(textsOf(en));
  for (const [name, text] of english) assert.notEqual(text.trim(), "", name);
  for (const { language, ...words } of Object.values(others)) {
    // An area that is not translated yet is the English one itself.
    const areas = Object.entries(words).filter(([name, area]) => area !== en[name as keyof typeof words]);
    for (const [name, text] of textsOf(Object.fromEntries(areas))) {
      assert.notEqual(text.trim(), "", `${language}: ${name}`);
      // Single words may be the same ones, such as `Name`.
      assert.ok(!text.includes(" ") || english.get(name) !== text, `${language}: ${name} is in English`);
    }
  }
});
