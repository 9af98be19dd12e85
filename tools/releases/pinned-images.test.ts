import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { filesWithImages, imagesIn, pinImages, pinnedFile, unpinnedIn } from "./pinned-images.ts";

const read = (file: string): string => readFileSync(join(import.meta.dirname, "../..", file), "utf8");

test("Dockerfile, compose and chart name no image of others but those of the list, with its digests", () => {
  const pinned = imagesIn(read(pinnedFile));
  for (const file of filesWithImages) {
    const images = imagesIn(read(file));
    assert.ok(images.length > 0, file);
    assert.deepEqual(
      images.filter((each) => !pinned.includes(each)),
      [],
      file,
    );
  }
});

test("a default of a setting is the image that the list has under its name", () => {
  const list = new Map(
    [...read(pinnedFile).matchAll(/^(\w+)=(.+)$/gm)].map(([, name, image]) => [name, image]),
  );
  for (const file of filesWithImages) {
    for (const [, name, image] of read(file).matchAll(
      /(?:ARG |\$\{)(\w*(?:BASE|_IMAGE))(?::-|=)([^}\s]+)/g,
    )) {
      assert.equal(image, list.get(name), `${name} in ${file}`);
    }
  }
});

test("a digest is written after each tag that has one, also in place of an older one", () => {
  const [old, now] = ["a", "b"].map((letter) => `sha256:${letter.repeat(64)}`) as [string, string];
  const text = `X=\${X:-docker.io/a/b:1}\nY=docker.io/a/b:1@${old}\nZ=docker.io/a/b:1.2\n`;
  const pinned = pinImages(text, new Map([["docker.io/a/b:1", now]]));
  assert.equal(pinned, `X=\${X:-docker.io/a/b:1@${now}}\nY=docker.io/a/b:1@${now}\nZ=docker.io/a/b:1.2\n`);
  assert.deepEqual(unpinnedIn(pinned), ["docker.io/a/b:1.2"]);
});
