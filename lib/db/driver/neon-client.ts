import { Client, type ClientConfig, type Connection } from "@neondatabase/serverless";
import { NothingDone } from "../unavailable.ts";
import { CONNECT_TIMEOUT_MS } from "./pool-options.ts";
import { TunnelSocket } from "./tunnel-socket.ts";

/** What a proxy asks for if it does not take the password with the first message. */
const otherMethods = ["authenticationSASL", "authenticationMD5Password"];

/**
 * Clients that reach PostgreSQL through a WebSocket. Once it is open, the password and the first statement are sent
 * together: a connection takes two round trips. After a proxy asked for another method, the pool's connections wait for
 * its questions.
 */
export function clientThrough(tunnel: string): typeof Client {
  let takesPassword = true;
  return class TunnelClient extends Client {
    constructor(config: string | ClientConfig = {}) {
      const options = typeof config === "string" ? { connectionString: config } : config;
      super({ ...options, stream: new TunnelSocket(tunnel) as never });
      this.neonConfig.pipelineConnect = takesPassword && "password";
    }

    override connect(callback?: unknown): Promise<void> {
      const connected = super.connect(callback as never) as unknown as Promise<void>;
      if (this.neonConfig.pipelineConnect) {
        refuseOtherMethods(this.connection);
        limitSignIn(this.connection);
      }
      return connected;
    }
  };

  /** The client would answer a question that the proxy takes the password for. No statement has begun. */
  function refuseOtherMethods(connection: Connection): void {
    for (const method of otherMethods) {
      connection.removeAllListeners(method);
      connection.once(method, () => {
        takesPassword = false;
        connection.stream.destroy(new NothingDone("The proxy wants a password exchange, such as SCRAM"));
      });
    }
  }

  /** To the client a pipelined connection is open before the proxy answered: its own limit has passed. */
  function limitSignIn(connection: Connection): void {
    const timeout = setTimeout(() => {
      const { host } = new URL(tunnel);
      connection.stream.destroy(new Error(`Sign-in timeout: ${host} does not answer`));
    }, CONNECT_TIMEOUT_MS);
    timeout.unref();
    for (const event of ["readyForQuery", "end"]) connection.once(event, () => clearTimeout(timeout));
  }
}
