import { createServer, type Socket } from "node:net";

/** The harmless file that every scanner detects, in two pieces to hide this source file from scanners. */
export const eicar = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR${"-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"}`;

export type ClamdMood = "well" | "silent" | "closing";

/**
 * The part of clamd's INSTREAM protocol that the service uses. Detects `eicar`; rejects files over the limit.
 */
export async function startClamdStandIn({ largest = 25 * 1024 * 1024 } = {}) {
  let mood: ClamdMood = "well";
  const scanned: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    if (mood === "closing") return void socket.destroy();
    if (mood === "silent") return void socket.resume();
    const reply = await replyTo(socket, largest, scanned).catch(() => undefined);
    if (reply) socket.end(`${reply}\0`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    setting: `clamd://127.0.0.1:${port}`,
    /** The size of each scanned file, in bytes. */
    scanned,
    setMood(next: ClamdMood) {
      mood = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function replyTo(socket: Socket, largest: number, scanned: number[]): Promise<string | undefined> {
  let waiting = Buffer.alloc(0);
  let content = Buffer.alloc(0);
  let isTold = false;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    waiting = Buffer.concat([waiting, chunk as Buffer]);
    if (!isTold) {
      const end = waiting.indexOf(0);
      if (end < 0) continue;
      if (waiting.toString("latin1", 0, end) !== "zINSTREAM") return "UNKNOWN COMMAND";
      waiting = waiting.subarray(end + 1);
      isTold = true;
    }
    while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE(0)) {
      const length = waiting.readUInt32BE(0);
      if (length === 0) {
        scanned.push(content.length);
        return content.includes(eicar) ? "stream: Eicar-Test-Signature FOUND" : "stream: OK";
      }
      content = Buffer.concat([content, waiting.subarray(4, 4 + length)]);
      waiting = waiting.subarray(4 + length);
      if (content.length > largest) return "INSTREAM size limit exceeded. ERROR";
    }
  }
  return undefined;
}
