import { type AddressInfo, connect } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { createPatientServer } from "./patient-server.ts";

export type NeonProxy = { address: string; close(): Promise<void> };

/**
 * A stand-in for the proxy in front of a Neon database, on any PostgreSQL: `/v2` tunnels PostgreSQL's protocol through a
 * WebSocket. Whatever host a client names, it talks to the one server on `127.0.0.1:postgresPort`.
 * Shut down the clients first, then this, then PostgreSQL.
 */
export async function startNeonProxy(postgresPort: number): Promise<NeonProxy> {
  const server = createPatientServer((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ server, path: "/v2", perMessageDeflate: false });
  sockets.on("connection", (socket) => tunnel(socket, postgresPort));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function tunnel(socket: WebSocket, postgresPort: number): void {
  const postgres = connect({ host: "127.0.0.1", port: postgresPort, noDelay: true });
  socket.on("message", (data: Buffer) => postgres.write(data));
  postgres.on("data", (data) => socket.send(data));
  for (const ending of ["close", "error"]) {
    socket.on(ending, () => postgres.destroy());
    postgres.on(ending, () => socket.close());
  }
}
