import { connect } from "node:net";

/** Requests that no client of good will sends, by what is odd about them. Each is to be answered with 4xx. */
export const oddRequests: Record<string, string> = {
  "two slashes": get("//"),
  "three slashes": get("///x"),
  "two slashes and a token": get("//calls?salt=s", "Authorization: Bearer x\r\n"),
  "somebody at a host": get("//a:b@c"),
  backslashes: get("\\\\"),
  "half an escape": get("/%"),
  "an escape of no character": get("/%ff%fe/%00"),
  "a query alone": get("?"),
  "a query of queries": get("/nowhere?a=%&a=%zz&?&=&&[]"),
  "an asterisk": get("*"),
  "OPTIONS of everything": get("*").replace("GET", "OPTIONS"),
  "an absolute address without an end": get("http://["),
  "an absolute address of a bad port": get("http://x:99999999/"),
  "an address of another scheme": get("javascript:alert(1)"),
  "a proxy's CONNECT": "CONNECT //a:b HTTP/1.1\r\nHost: x\r\n\r\n",
  "a CONNECT of nothing": "CONNECT : HTTP/1.1\r\nHost: x\r\n\r\n",
  "a very long path": get(`/${"a".repeat(7_000)}`),
  "a target longer than all headers may be": get(`/${"a".repeat(40_000)}`),
  "no version": "GET /nowhere\r\n\r\n",
  "a version that is none": "GET /nowhere HTTP/9.9\r\nHost: x\r\n\r\n",
  "no target": "GET  HTTP/1.1\r\nHost: x\r\n\r\n",
  "an upgrade to nothing": get("//", "Upgrade: \r\n"),
  "an upgrade to a socket without a key": get("/nowhere", "Upgrade: websocket\r\n"),
  "an upgrade to HTTP/2": get("//", "Upgrade: h2c\r\nHTTP2-Settings: !\r\n"),
  "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "an expectation": get("//", "Expect: everything\r\n"),
  "two lengths": get("//", "Content-Length: 1\r\nContent-Length: 2\r\n"),
  "a length and chunks": get("//", "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
  "a host that is none": get("//", "").replace("Host: x", "Host: [::"),
  "the start of TLS": "\u0016\u0003\u0001\0\u0005hello",
};

function get(target: string, headers = ""): string {
  return `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close, upgrade, http2-settings\r\n${headers}\r\n`;
}

/** Sends text as it is, and returns everything that comes until the server closes the connection. */
export async function rawResponse(port: number, sent: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(sent, "latin1");
  return (await socket.setEncoding("latin1").toArray()).join("");
}
