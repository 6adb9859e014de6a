import { EventEmitter, once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { createPatientServer } from "./patient-server.ts";

/**
 * `mute` ignores the WebSocket request. `silent` accepts it and then sends nothing. `closing` disconnects
 * once, after PostgreSQL ran the next message but before the response leaves.
 */
export type NeonProxyMood = "well" | "refusing" | "mute" | "silent" | "closing";

export type NeonProxyStandIn = {
  address: string;
  setMood(mood: NeonProxyMood): void;
  /** Resolves at a client's next message or WebSocket request. */
  heard(): Promise<unknown>;
  close(): Promise<void>;
};

/**
 * A stand-in for Neon's database proxy: `/v2` tunnels PostgreSQL's protocol through a WebSocket to
 * `127.0.0.1:postgresPort`, for any requested host. PostgreSQL chooses password or SCRAM (roles named
 * `scram_…`). Shut down clients first, then this, then PostgreSQL.
 */
export async function startNeonProxyStandIn(postgresPort: number): Promise<NeonProxyStandIn> {
  let mood: NeonProxyMood = "well";
  const messages = new EventEmitter();
  const server = createPatientServer((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const unanswered = new Set<Duplex>();
  server.on("upgrade", (request, socket, head) => {
    messages.emit("message");
    if (mood === "mute") return void unanswered.add(socket.on("error", () => {}));
    if (mood === "refusing" || request.url?.split("?")[0] !== "/v2")
      return void socket.end("HTTP/1.1 503 Service Unavailable\r\n\r\n", () => socket.destroy());
    sockets.handleUpgrade(request, socket, head, tunnel);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    setMood(next) {
      mood = next;
    },
    heard: () => once(messages, "message"),
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      for (const socket of unanswered) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function tunnel(socket: WebSocket): void {
    const postgres = connect({ host: "127.0.0.1", port: postgresPort, noDelay: true });
    socket.on("message", (data: Buffer) => {
      if (mood !== "silent") postgres.write(data);
      messages.emit("message");
    });
    postgres.on("data", (data) => {
      if (mood !== "closing") return socket.send(data);
      mood = "well";
      socket.close();
    });
    for (const ending of ["close", "error"]) {
      socket.on(ending, () => postgres.destroy());
      postgres.on(ending, () => socket.close());
    }
  }
}
