import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Relay = {
  port: number;
  /** Disconnects every client without notice, as a network does. */
  cut(): void;
  /** Stops relaying for current clients without notice. New clients reach the server. */
  forget(): void;
  /** Disconnects the next sender after the server has run the request but before the response arrives. */
  cutBeforeNextAnswer(): void;
  /** Runs an action once, when a client has sent its nth request, before the response arrives. */
  atTurn(turn: number, action: () => void): void;
  /** Round trips: how often a client sent something after a response. */
  turns(): number;
  close(): Promise<void>;
};

/** A local network link between client and server that can be made to fail. */
export async function startRelay(serverPort: number): Promise<Relay> {
  const clients = new Set<Socket>();
  const forgotten = new WeakSet<Socket>();
  let cutNext = false;
  let turns = 0;
  const actions = new Map<number, () => void>();
  const server = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    clients.add(client);
    let hasHeard = true;
    client.on("data", (data) => {
      if (forgotten.has(client)) return;
      if (hasHeard) turns += 1;
      if (hasHeard) actions.get(turns)?.();
      hasHeard = false;
      if (cutNext) upstream.removeAllListeners("data").once("data", () => client.destroy());
      cutNext = false;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      hasHeard = true;
      client.write(data);
    });
    client.on("error", () => {}).on("close", () => clients.delete(client) && upstream.destroy());
    upstream.on("error", () => {}).on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      for (const client of clients) client.destroy();
    },
    forget() {
      for (const client of clients) forgotten.add(client);
    },
    cutBeforeNextAnswer() {
      cutNext = true;
    },
    atTurn(turn, action) {
      actions.set(turns + turn, action);
    },
    turns: () => turns,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
