import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** `turns`: how often a client sent something after an answer, or first. Bytes as they are on the wire. */
export type ProxyTraffic = { turns: number; sentBytes: number; receivedBytes: number };

export type DelayingProxy = { port: number; traffic(): ProxyTraffic; close(): Promise<void> };

/** A proxy to a local server that adds this round-trip time, and counts what passes. */
export async function startDelayingProxy(serverPort: number, milliseconds: number): Promise<DelayingProxy> {
  const sockets = new Set<Socket>();
  const traffic: ProxyTraffic = { turns: 0, sentBytes: 0, receivedBytes: 0 };
  const server = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    let isClientsTurn = true;
    const count = (isSent: boolean, bytes: number) => {
      if (isSent && isClientsTurn) traffic.turns += 1;
      isClientsTurn = !isSent;
      traffic[isSent ? "sentBytes" : "receivedBytes"] += bytes;
    };
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true).on("data", (data) => {
        count(from === client, data.length);
        setTimeout(() => to.writable && to.write(data), milliseconds / 2);
      });
      from.on("error", () => {}).on("close", () => sockets.delete(from) && to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    traffic: () => ({ ...traffic }),
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
