import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { makeTemporaryFolder } from "@faceline/models/empty-folder";
import { openApiText } from "@faceline/contracts/http/open-api";
import { repository } from "@faceline/deploy/launcher/state-folder";
import { clientTypes } from "./client-types.ts";

/**
 * Packs `@faceline/client` and returns the tarball's path in `folder`. Node strips no types under
 * `node_modules`, so the tarball holds what the compiler emits from `clients/typescript`, with the types of
 * the OpenAPI document in place of the schemas: JavaScript and declarations, its README and the licence.
 * Throws with the output of the compiler or of npm when one of them fails.
 */
export async function packClient(folder: string): Promise<string> {
  const temporary = makeTemporaryFolder("faceline-client-");
  const [source, staging] = [join(temporary, "clients", "typescript"), join(temporary, "package")];
  try {
    await mkdir(folder, { recursive: true });
    await cp(join(repository, "clients", "typescript"), source, { recursive: true });
    await copyFile(join(repository, "tsconfig.base.json"), join(temporary, "tsconfig.base.json"));
    const document = JSON.parse(openApiText) as Parameters<typeof clientTypes>[0];
    await writeFile(join(source, "api-types.ts"), clientTypes(document));
    await run("tsc", ["-p", source, "--outDir", staging], { cwd: repository, env: process.env });
    await rewriteDeclarations(staging);
    await copyFile(join(source, "package.json"), join(staging, "package.json"));
    await copyFile(join(source, "README.md"), join(staging, "README.md"));
    await copyFile(join(repository, "LICENSE"), join(staging, "LICENSE"));
    const options = { cwd: staging, env: environmentOfAnotherProject() };
    const output = await run("npm", ["pack", "--json", "--pack-destination", folder], options);
    const [{ filename }] = JSON.parse(output) as [{ filename: string }];
    return join(folder, filename);
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** Makes an npm project of an empty folder and installs a tarball in it, without the network, for a test. */
export async function installPackage(folder: string, tarball: string): Promise<void> {
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const args = ["install", "--offline", "--no-audit", "--no-fund", tarball];
  await run("npm", args, { cwd: folder, env: environmentOfAnotherProject() });
}

/**
 * This environment without what npm and this repository put in it, so that `node` and `npm` are the machine's
 * own.
 */
export function environmentOfAnotherProject(): NodeJS.ProcessEnv {
  const { PATH = "", ...rest } = process.env;
  const folders = PATH.split(delimiter).filter((each) => !each.includes("node_modules"));
  const variables = Object.entries(rest)
    .filter(([name]) => !/^(npm_|node_)/i.test(name))
    // deploy/bootstrap.mjs adds it to NO_PROXY, and httpx cannot read it.
    .map(([name, value]) => [name, /^no_proxy$/i.test(name) ? value?.replace(",[::1]", "") : value]);
  return {
    ...Object.fromEntries(variables),
    PATH: folders.join(delimiter),
    npm_config_update_notifier: "false",
  };
}

/** Renames `./x.ts` in declarations, which the compiler leaves and which is not in the tarball. */
async function rewriteDeclarations(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".d.ts"));
  for (const file of files.map((name) => join(folder, name))) {
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replaceAll(/(from "\.\/[a-z0-9-]+)\.ts"/g, '$1.js"'));
  }
}

async function run(command: string, args: string[], options: RunOptions): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args[0]} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

type RunOptions = { cwd: string; env: NodeJS.ProcessEnv };
