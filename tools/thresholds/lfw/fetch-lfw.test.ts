import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { listen } from "@faceline/models/testing/local-server";
import { temporaryFolder } from "@faceline/models/testing/temporary-folder";
import { c as create } from "tar";
import { fetchLfw } from "./fetch-lfw.ts";
import { readLfwPairs } from "./lfw-pairs.ts";

// A server on this machine has a made tarball: LFW's own was never fetched here.

test("the list and the images come, and a second call fetches nothing", async (t) => {
  const { folder, requests, fetch } = await openFixture(t);
  const path = await fetch();
  assert.deepEqual((await readLfwPairs(path)).images[0], { name: "Ada/Ada_0001.jpg", line: 2 });
  assert.equal(await readFile(join(path, "Ada/Ada_0001.jpg"), "utf8"), "Ada 1");
  assert.deepEqual((await readdir(folder)).toSorted(), ["lfw", "pairs.txt", "parts"]);
  assert.deepEqual(await readdir(join(folder, "parts")), []);
  assert.equal(await fetch(), path);
  assert.deepEqual(requests, ["/list", "/images"]);
});

test("links, other files and hidden ones are not unpacked", async (t) => {
  const { fetch } = await openFixture(t);
  const path = await fetch();
  const names = await readdir(path, { recursive: true });
  assert.deepEqual(names.toSorted(), [
    "Ada",
    "Ada/Ada_0001.jpg",
    "Ada/Ada_0002.jpg",
    "Chi",
    "Chi/Chi_0001.jpg",
  ]);
});

test("a path that leads out of the folder is not unpacked", async (t) => {
  const { folder, fetch, outer } = await openFixture(t, { escaping: true });
  await fetch();
  assert.deepEqual((await readdir(outer)).toSorted(), ["made", "target"]);
  assert.deepEqual((await readdir(join(folder, "lfw"))).toSorted(), ["Ada", "Chi"]);
});

test("another tarball, and one with more than it may have, leave nothing that --lfw would read", async (t) => {
  const { folder, fetch } = await openFixture(t);
  await assert.rejects(
    fetch({ sha256: "0".repeat(64) }),
    /sends another file than the one that is wanted: its SHA-256 is another\. Or fetch http:[^ ]+ yourself/,
  );
  await assert.rejects(fetch({ imagesMax: 2 }), /^Error: The tarball has 3 images/);
  await assert.rejects(fetch({ unpackedBytesMax: 8 }), /it is not that of LFW\.$/);
  await assert.rejects(fetch({ bytesMax: 10 }), /more than 0\.0 MB/);
  assert.ok(!(await readdir(folder)).includes("lfw"));
});

test("a download that was cut off goes on where it ended", async (t) => {
  const { requests, cutOff, fetch } = await openFixture(t);
  cutOff();
  await assert.rejects(fetch(), /was lost/);
  await fetch();
  assert.match(requests.at(-1)!, /^\/images bytes=100-$/);
});

async function openFixture(t: TestContext, { escaping = false } = {}) {
  const outer = await temporaryFolder(t);
  const made = join(outer, "made");
  await mkdir(join(made, "lfw/Ada"), { recursive: true });
  await mkdir(join(made, "lfw/Chi"));
  for (const [name, text] of [
    ["Ada/Ada_0001.jpg", "Ada 1"],
    ["Ada/Ada_0002.jpg", "Ada 2"],
    ["Ada/.Ada_0003.jpg", "hidden"],
    ["Ada/notes.txt", "notes"],
    ["Chi/Chi_0001.jpg", "Chi 1"],
    ["../Eve_0001.jpg", "beside"],
  ] as const) {
    await writeFile(join(made, "lfw", name), text);
  }
  await symlink("/etc/passwd", join(made, "lfw/Chi/Chi_0002.jpg"));
  const tarball = join(made, "lfw.tgz");
  await create({ file: tarball, cwd: made, gzip: true, preservePaths: true }, [
    "lfw",
    ...(escaping ? ["lfw/../Eve_0001.jpg"] : []),
  ]);
  const bodies = new Map([
    ["/list", Buffer.from("2\t1\nAda\t1\t2\nAda\t1\tChi\t1\nAda\t1\t2\nAda\t2\tChi\t1\n")],
    ["/images", await readFile(tarball)],
  ]);
  const requests: string[] = [];
  let isCutOff = false;
  let cut = (): unknown => undefined;
  const server = createServer(({ url = "", headers: { range } }, response) => {
    requests.push(range === undefined ? url : `${url} ${range}`);
    const body = bodies.get(url)!;
    const start = Number(/\d+/.exec(range ?? "")?.[0] ?? 0);
    response.setHeader("etag", '"1"').setHeader("content-length", body.length - start);
    if (range !== undefined) {
      response.writeHead(206, { "content-range": `bytes ${start}-${body.length - 1}/${body.length}` });
    }
    if (!isCutOff || url !== "/images") return void response.end(body.subarray(start));
    isCutOff = false;
    response.write(body.subarray(0, 100));
    cut = () => response.destroy();
  });
  const { host } = await listen(t, server);
  const folder = join(outer, "target");
  const fileOf = (name: string, changed: object) => ({
    url: `http://${host}${name}`,
    sha256: createHash("sha256").update(bodies.get(name)!).digest("hex"),
    bytesMax: 1e6,
    ...changed,
  });
  const fetch = ({ imagesMax = 3, unpackedBytesMax = 1_000, ...changed }: Limits = {}) =>
    fetchLfw(folder, {
      files: {
        list: fileOf("/list", {}),
        images: fileOf("/images", changed),
        imagesMax,
        unpackedBytesMax,
      },
      progress: (bytes) => bytes === 100 && cut(),
      stop: new AbortController().signal,
    });
  return { outer, folder, requests, fetch, cutOff: () => (isCutOff = true) };
}

type Limits = { imagesMax?: number; unpackedBytesMax?: number; sha256?: string; bytesMax?: number };
