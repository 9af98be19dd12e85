import { createRequire } from "node:module";

/**
 * Patches the login of kafkajs 2.2.4, which throws `KafkaJSSASLAuthenticationError` for every failure and
 * drops its cause. A request that was not answered in time then looks like a wrong password: it is not tried
 * again, and a consumer that reconnects while its broker is busy ends its process. With the patch, a failure
 * of the connection is thrown as it is, so kafkajs retries it. What the broker refuses stays a failed login.
 */
const { prototype } = createRequire(import.meta.url)("kafkajs/src/broker/saslAuthenticator") as {
  prototype: SaslAuthenticator;
};
const authenticate = prototype.authenticate;

prototype.authenticate = async function (this: SaslAuthenticator) {
  const { connection } = this;
  let connectionFailure: unknown;
  this.connection = Object.create(connection, {
    send: {
      value: (request: unknown) =>
        connection.send(request).catch((error: { retriable?: boolean }) => {
          if (error.retriable === true) connectionFailure = error;
          throw error;
        }),
    },
  }) as SaslAuthenticator["connection"];
  try {
    await authenticate.call(this);
  } catch (error) {
    throw connectionFailure ?? error;
  }
};

type SaslAuthenticator = {
  connection: { send(request: unknown): Promise<unknown> };
  authenticate(): Promise<void>;
};
