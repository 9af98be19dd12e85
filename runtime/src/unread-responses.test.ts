import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { closeUnreadConnections, excess, nextUnreadState, type UnreadState } from "./unread-responses.ts";

test("a connection stalls when less than 10 KiB were read in ten checks", () => {
  assert.equal(
    checksUntilStalled((check) => check * 1_000),
    10,
  );
  assert.equal(
    checksUntilStalled(() => 7),
    10,
  );
  assert.equal(
    checksUntilStalled((check) => check * 1_100),
    undefined,
  );
});

test("a connection with nothing to read never stalls, and begins anew", () => {
  let state: UnreadState;
  for (let check = 0; check < 100; check++) {
    assert.ok((state?.checks ?? 0) < 10);
    state = nextUnreadState(state, { waitingBytes: check % 9 === 0 ? 0 : 5, readBytes: 0 });
  }
});

test("above 128 MiB in all, those are closed that have read nothing for longest, then those with most", () => {
  const MiB = 1024 * 1024;
  const unread = Array.from({ length: 128 }, (_, n) => ({ bytes: MiB, checks: n === 9 ? 2 : 0 }));
  assert.deepEqual(excess(unread), []);
  const [reader, large] = [
    { bytes: 7 * MiB, checks: 0 },
    { bytes: 8 * MiB, checks: 1 },
  ];
  const closed = excess([...unread, reader, large]);
  assert.deepEqual(closed.slice(0, 3), [unread[9], large, reader]);
  assert.equal(closed.length, 3 + 63);
});

const skip = process.platform !== "linux" && "only Linux tells what waits in its kernel";
/** The time limit only ends a test that fails. */
const inLinux = { skip, timeout: 600_000 };
test(
  "a client that leaves its responses to the kernel is disconnected, whatever it asks for",
  inLinux,
  async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    // It fits into the kernel, and is more than that of the client takes.
    const body = Buffer.alloc(1_000_000);
    const server = createServer(({ url }, response) => response.end(url === "/" ? body : ""));
    let closed = 0;
    closeUnreadConnections(server, () => closed++);
    const sockets: Socket[] = [];
    server.on("connection", (socket) => sockets.push(socket)).listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const open = () => connect(port, "127.0.0.1").on("error", () => {});
    const [deaf, reader] = [open(), open().resume()];
    for (const client of [deaf, reader]) client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    for (let turns = 0; !(sockets[0]?.destroyed && sockets[0].closed); turns++) {
      if (turns % 10 === 0) deaf.write("GET /small HTTP/1.1\r\nhost: a\r\n\r\n");
      t.mock.timers.tick(1_000);
      await sleep(5);
    }
    assert.deepEqual([closed, sockets[0].destroyed, sockets[1]!.destroyed], [1, true, false]);
    for (const client of [deaf, reader]) client.destroy();
  },
);

test("a client that reads its last response is closed when it leaves", inLinux, async (t) => {
  const server = createServer((_request, response) => response.end(Buffer.alloc(1_000_000)));
  closeUnreadConnections(server);
  t.after(() => server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const accepted = once(server, "connection");
  const client = connect((server.address() as { port: number }).port, "127.0.0.1");
  client.resume().write("GET / HTTP/1.0\r\n\r\n");
  const [socket] = (await accepted) as [Socket];
  await once(socket, "close");
  assert.equal(client.bytesRead > 1_000_000, true);
});

/** Undefined: not within 100 checks. */
function checksUntilStalled(readBytes: (check: number) => number): number | undefined {
  let state: UnreadState;
  for (let check = 0; check < 100; check++) {
    state = nextUnreadState(state, { waitingBytes: 1, readBytes: readBytes(check) });
    if (state?.checks === 10) return check;
  }
  return undefined;
}
