import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { Command } from "ioredis";
import { UncopiedCommand } from "./uncopied-command.ts";

const image = Buffer.from([0, 255, 13, 10, 36]);
const args = ["image/é", image, "PX", 2_000];

test("a command has the bytes that ioredis would send, in one write and without a copy of its buffer", async () => {
  const written: Buffer[][] = [];
  const socket = new Writable({
    writev(chunks, done) {
      written.push(chunks.map(({ chunk }) => chunk as Buffer));
      done();
    },
  });
  socket.cork();
  for (let i = 0; i < 2; i++) socket.write(new UncopiedCommand("set", args).toWritable(socket));
  socket.uncork();
  const [chunks, ...others] = written;
  const whole = Buffer.from(new Command("set", args).toWritable({}));
  assert.deepEqual(others, []);
  assert.deepEqual(Buffer.concat(chunks!), Buffer.concat([whole, whole]));
  assert.equal(chunks!.filter((chunk) => chunk === image).length, 2);
});

test("a command that has failed keeps its buffer until the socket has let go of it", async () => {
  let letGo = () => {};
  const socket = new Writable({ writev: (_chunks, done) => void (letGo = done) });
  const command = new UncopiedCommand("set", args);
  let hasEnded = false;
  const ended = command.ended().then(() => (hasEnded = true));
  socket.cork();
  socket.write(command.toWritable(socket));
  socket.uncork();
  command.reject(new Error("Connection is closed"));
  await new Promise(setImmediate);
  assert.equal(hasEnded, false);
  letGo();
  await ended;
  assert.throws(() => command.toWritable(socket));

  const refused = new UncopiedCommand("set", args);
  refused.reject(new Error("not accepted"));
  await refused.ended();
});
