import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { test } from "node:test";
import { testKey, testServer } from "../../testing/server.ts";

const bytes = 4 * 1024 * 1024;
const head = (...more: string[]) =>
  ["POST /verify HTTP/1.1", "host: a", "content-type: application/json", ...more, "\r\n"].join("\r\n");
const announced = `content-length: ${bytes}`;
const chunked = "transfer-encoding: chunked";

const rejected: [name: string, headers: string[], body: string, status: number][] = [
  ["it is too large", [`x-api-key: ${testKey}`, announced], " ".repeat(bytes), 413],
  [
    "it becomes too large",
    [`x-api-key: ${testKey}`, chunked],
    `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n0\r\n\r\n`,
    413,
  ],
  ["there is no key", [announced], " ".repeat(bytes), 401],
];

// If the service closed the connection, the client would get an error while it still sends, and many clients
// do not read a response after that.
for (const [name, headers, body, status] of rejected) {
  test(`a body that is rejected before it was read can be sent to its end: ${name}`, async (t) => {
    const { app } = testServer(t, { settings: { BODY_BYTES_MAX: "1000" } });
    await app.listen({ host: "127.0.0.1", port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    t.after(() => socket.destroy());
    let received = "";
    socket.setEncoding("latin1").on("data", (text: string) => (received += text));

    socket.write(head(...headers) + body);
    socket.end("GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    await once(socket, "close");
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => Number(code));
    assert.deepEqual(statuses, [status, 200]);
  });
}
