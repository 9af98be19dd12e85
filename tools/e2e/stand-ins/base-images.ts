import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "@faceline/runtime/config";
import { capture } from "@faceline/deploy/launcher/capture";
import { LauncherConfig } from "@faceline/deploy/launcher/settings";
import { repository } from "@faceline/deploy/launcher/state-folder";
import type { Steps } from "@faceline/deploy/launcher/steps";
import type { ContainerEngine } from "./engine.ts";

/** Images that stand for public ones where no registry can be reached, made of Debian's packages. */
export const baseImages = {
  /** glibc and libstdc++, no shell. */
  base: "localhost/base",
  /** A shell, Node and npm. */
  buildBase: "localhost/build-base",
  /** Redis, Java and the jars of Kafka, with scripts of the names that Kafka's own image has. */
  servers: "localhost/servers",
  /** HAProxy, no shell. */
  proxy: "localhost/proxy",
};

/** Makes the images that are not there yet. Takes some minutes the first time. */
export async function makeBaseImages(engine: ContainerEngine, folder: string, steps: Steps): Promise<void> {
  const make = (tag: string, recipe: Recipe) =>
    steps.run(tag, async (note) => {
      if ((await engine.imageId(tag)) === undefined) await makeImage(engine, tag, folder, recipe);
      else note("present");
    });
  await make(baseImages.base, {
    debian: ["--variant=extract", `--hook-dir=${mergedUsr}`, "--include=libc6,libstdc++6,libgcc-s1,tzdata"],
    steps: [],
  });
  await make(baseImages.buildBase, {
    debian: ["--variant=minbase", "--include=ca-certificates,libstdc++6"],
    files: { node: process.execPath, npm: await npmFolder() },
    steps: [
      "COPY node /usr/bin/node",
      "COPY npm /usr/lib/npm",
      "RUN ln -s /usr/lib/npm/bin/npm-cli.js /usr/bin/npm",
    ],
  });
  await make(baseImages.proxy, {
    debian: ["--variant=extract", `--hook-dir=${mergedUsr}`, "--include=haproxy"],
    steps: [],
  });
  const { FACELINE_STATE } = readConfig(LauncherConfig, process.env);
  await make(baseImages.servers, {
    debian: ["--variant=minbase", "--include=openjdk-17-jre-headless,redis-server"],
    files: { libs: join(resolve(repository, FACELINE_STATE), "kafka", "libs") },
    scripts: {
      "kafka-storage.sh": `exec java -cp "/opt/kafka/libs/*" kafka.tools.StorageTool "$@"`,
      "kafka-server-start.sh": `exec java $KAFKA_HEAP_OPTS -cp "/opt/kafka/libs/*" kafka.Kafka "$@"`,
    },
    steps: [
      "COPY libs /opt/kafka/libs",
      "COPY kafka-storage.sh kafka-server-start.sh /opt/kafka/bin/",
      "RUN mkdir -p /var/lib/kafka/data /data && chown -R 1000:1000 /var/lib/kafka && chown 999:999 /data",
      "USER 1000:1000",
    ],
  });
}

/** The npm on the PATH. `npm root` would name a folder beside the Node that runs this, which has none. */
async function npmFolder(): Promise<string> {
  const program = (await capture("sh", ["-c", `readlink -f "$(command -v npm)"`])).trim();
  return join(program, "..", "..");
}

const mergedUsr = "/usr/share/mmdebstrap/hooks/merged-usr";

async function makeImage(
  engine: ContainerEngine,
  tag: string,
  folder: string,
  recipe: Recipe,
): Promise<void> {
  const context = join(folder, "context");
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  const { debian, files = {}, scripts = {}, steps } = recipe;
  await capture("mmdebstrap", [...debian, "bookworm", join(context, "debian.tar")], { env: engine.env });
  for (const [name, source] of Object.entries(files)) {
    if (!existsSync(source)) throw new Error(`${tag} needs ${source}, which is not there`);
    cpSync(source, join(context, name), { recursive: true, dereference: true });
  }
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(context, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const dockerfile = join(context, "Dockerfile");
  writeFileSync(dockerfile, `${["FROM scratch", "ADD debian.tar /", ...steps].join("\n")}\n`);
  await engine.build(tag, dockerfile, context);
  rmSync(context, { recursive: true });
}

/** `debian`: arguments of mmdebstrap. `steps`: lines of the Dockerfile after it. */
type Recipe = {
  debian: string[];
  files?: Record<string, string>;
  scripts?: Record<string, string>;
  steps: string[];
};
