import { Client, type ClientConfig, type Connection } from "@neondatabase/serverless";
import { StatementNotExecuted } from "../unavailable.ts";
import { CONNECT_TIMEOUT_MS } from "./pool-options.ts";
import { TunnelSocket } from "./tunnel-socket.ts";

/** Messages of a proxy that rejects a password in the first message. */
const otherMethods = ["authenticationSASL", "authenticationMD5Password"];

/**
 * Clients through a WebSocket. The password leaves with the first statement: connecting takes two round
 * trips. If the proxy asks for another method, later connections wait for its question.
 */
export function createTunnelClientClass(tunnel: string): typeof Client {
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

  /** The client would send the proxy an answer in the wrong form. No statement has begun yet. */
  function refuseOtherMethods(connection: Connection): void {
    for (const method of otherMethods) {
      connection.removeAllListeners(method);
      connection.once(method, () => {
        takesPassword = false;
        connection.stream.destroy(
          new StatementNotExecuted("The proxy requires a password exchange, such as SCRAM"),
        );
      });
    }
  }

  /**
   * The client considers a pipelined connection open before the proxy answers: its own timeout does not
   * apply.
   */
  function limitSignIn(connection: Connection): void {
    const timeout = setTimeout(() => {
      const { host } = new URL(tunnel);
      connection.stream.destroy(new Error(`Sign-in timeout: ${host} does not answer`));
    }, CONNECT_TIMEOUT_MS);
    timeout.unref();
    for (const event of ["readyForQuery", "end"]) connection.once(event, () => clearTimeout(timeout));
  }
}
