import type { Server } from "node:http";

/** Counts what is open at a server, from now on. */
export function countOpen(server: Server): { connections(): number; requests(): number } {
  let connections = 0;
  let requests = 0;
  server.on("connection", (socket) => {
    connections++;
    socket.once("close", () => connections--);
  });
  server.on("request", (_request, response) => {
    requests++;
    response.once("close", () => requests--);
  });
  return { connections: () => connections, requests: () => requests };
}
