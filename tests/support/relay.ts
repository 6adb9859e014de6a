import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type Relay = {
  port: number;
  /** Hangs up on every client, without a word, as a network does. */
  cut(): void;
  /** Carries nothing more for the clients that there are, who hear of it by nothing: others find the server. */
  forget(): void;
  /** Hangs up on whoever sends next, after the server has done what it asked and before the answer arrives. */
  cutBeforeNextAnswer(): void;
  /** Does something once, when a client has sent for the nth time, before the answer arrives. */
  atTurn(turn: number, action: () => void): void;
  /** How often a client sent something after it had heard something: round trips, whoever counts them elsewhere. */
  turns(): number;
  close(): Promise<void>;
};

/** A stretch of network between a client and a server on this machine that can be made to fail. */
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
