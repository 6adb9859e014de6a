import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type DelayingProxy = { port: number; close(): Promise<void> };

/** A proxy to a local server that adds this round-trip time. */
export async function startDelayingProxy(serverPort: number, milliseconds: number): Promise<DelayingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from
        .setNoDelay(true)
        .on("data", (data) => setTimeout(() => to.writable && to.write(data), milliseconds / 2));
      from.on("error", () => {}).on("close", () => sockets.delete(from) && to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
