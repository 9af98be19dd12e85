import { findJava } from "../launcher/java-install.ts";
import { findRedis } from "../launcher/redis-install.ts";
import { fetchKafka } from "../launcher/servers.ts";
import { openStateFolder } from "../launcher/state-folder.ts";
import { makeReadable } from "./file-modes.ts";

// node fetch-servers.ts FOLDER: fetches the servers that `npm start` runs into FOLDER, and makes /data, the
// empty volume of a container. Run by the Dockerfile.

const [to = ""] = process.argv.slice(2);
const volume = "/data";
const { signal } = new AbortController();
const { java, kafkaLibs, redis } = openStateFolder(to, volume);
await Promise.all([findJava(java, signal), fetchKafka(kafkaLibs, signal), findRedis(redis, signal)]);
makeReadable(to);
