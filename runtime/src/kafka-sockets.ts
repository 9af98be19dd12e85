import type { Socket } from "node:net";
import type { Admin, Consumer, Producer } from "kafkajs";

/**
 * The connections of one Kafka client. After a request that was not answered in time, kafkajs keeps using its
 * connection, and may write for a quarter of an hour into one that the network has forgotten, until the
 * kernel gives it up. If it is closed, it is reopened for the next request.
 */
export class KafkaSockets {
  readonly #open = new Set<Socket>();
  #abandoned = false;

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      // Kafkajs disconnects a connection at each restart of its consumer, also one that is closed for good.
      // `unref` of such a socket would wait for its connect, with one more listener every time.
      socket.unref = () => socket;
    });
    if (this.#abandoned) socket.destroy(new Error("this client was given up"));
  }

  /** Closes all connections when a request of this admin, producer or consumer was not answered in time. */
  closeOnTimeout(client: Admin | Consumer | Producer): void {
    // The three have this event under names of their own, which one signature cannot hold.
    const { events, on } = client as Admin;
    on(events.REQUEST_TIMEOUT, () => this.close());
  }

  /** Closes all connections. Requests that wait on them fail at once. */
  close(): void {
    for (const socket of this.#open) socket.destroy(new Error("a broker did not answer in time"));
  }

  /** Closes all connections, and those that the client opens later: kafkajs connects again after errors. */
  abandon(): void {
    this.#abandoned = true;
    this.close();
  }
}
