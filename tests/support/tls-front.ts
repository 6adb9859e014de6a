import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import path from "node:path";
import { TLSSocket } from "node:tls";

/** A self-signed test certificate for 127.0.0.1, valid until 2120. */
export const certificateFile = path.join(import.meta.dirname, "tls-front.pem");

export type TlsFront = { port: number; encrypted: number; close(): Promise<void> };

/** Accepts PostgreSQL's TLS negotiation, with which clients of cloud databases begin, and forwards the rest. */
export async function startTlsFront(postgresPort: number): Promise<TlsFront> {
  const pem = readFileSync(certificateFile, "utf8");
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on("error", () => {});
    // The first message requests TLS; "S" accepts.
    client.once("data", () => {
      client.write("S");
      const secure = new TLSSocket(client, { isServer: true, key: pem, cert: pem });
      const upstream = connect(postgresPort, "127.0.0.1");
      secure.once("secure", () => {
        front.encrypted += 1;
      });
      for (const [one, other] of [
        [secure, upstream],
        [upstream, secure],
      ] as const)
        one.pipe(other).on("error", () => one.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const front: TlsFront = {
    port: (server.address() as AddressInfo).port,
    encrypted: 0,
    async close() {
      for (const client of clients) client.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return front;
}
