import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import type { FastifyReply } from "fastify";
import { onClose } from "./context.ts";

test("all that waits for the end of a call shares one listener, and runs in its order", () => {
  const raw = new ServerResponse(new IncomingMessage(new Socket()));
  const response = { raw } as FastifyReply;
  const before = raw.listenerCount("close");
  const ran: number[] = [];
  for (let n = 0; n < 20; n++) onClose(response, () => ran.push(n));
  assert.equal(raw.listenerCount("close"), before + 1);
  raw.emit("close");
  raw.emit("close");
  assert.deepEqual(ran, [...Array(20).keys()]);
});
