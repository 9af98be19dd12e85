import assert from "node:assert/strict";
import { test } from "node:test";
import { fill } from "./fill.ts";
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

test("each language has the texts of English in their order, with the same values, and none in English", () => {
  const english = new Map(textsOf(allWords.en));
  for (const { language, ...words } of Object.values(allWords)) {
    const texts = new Map(textsOf(words));
    assert.deepEqual([...texts.keys()], [...english.keys()].slice(1), language);
    for (const [name, text] of texts) {
      assert.notEqual(text.trim(), "", `${language}: ${name}`);
      assert.deepEqual(valuesOf(text), valuesOf(english.get(name)!), `${language}: ${name}`);
      // Single words may be the same ones, such as `Name`.
      const isTranslated = language === "en" || !text.includes(" ") || text !== english.get(name);
      assert.ok(isTranslated, `${language}: ${name} is in English`);
    }
  }
});

test("a value that a text needs and does not get is a mistake", () => {
  assert.equal(fill("{count} of {count}, {name}", { count: 2, name: "{x}" }), "2 of 2, {x}");
  assert.throws(() => fill("{count} faces", {}), /no value for \{count\} in: \{count\} faces/);
});

function textsOf(words: object): [string, string][] {
  return Object.entries(words).flatMap(([name, value]: [string, string | object]) =>
    typeof value === "string"
      ? [[name, value] as [string, string]]
      : textsOf(value).map(([inner, text]): [string, string] => [`${name}.${inner}`, text]),
  );
}

const valuesOf = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].toSorted();
