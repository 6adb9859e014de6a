import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { Config } from "../config.ts";

export type Scanner = {
  /**
   * The malware's name, or null. Reads all bytes unless it fails: callers count or hash them. Throws
   * `ScannerUnavailable`, and errors of the source.
   */
  scan(chunks: AsyncIterable<Uint8Array>): Promise<string | null>;
};

/** Unavailable, too slow, or does not accept files of this size. Retry later. */
export class ScannerUnavailable extends Error {
  override name = "ScannerUnavailable";
}

/** Without any progress; scanning archives takes long. */
const silenceMs = 120_000;

/** Without a scanner, nothing is ever found. */
export function createScanner(
  { FILE_SCANNER }: Pick<Config, "FILE_SCANNER">,
  timeoutMs = silenceMs,
): Scanner {
  if (!FILE_SCANNER) return { scan: readAll };
  const { hostname, port } = new URL(FILE_SCANNER);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return { scan: (chunks) => askClamd({ host, port: Number(port) }, chunks, timeoutMs) };
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<null> {
  for await (const _ of chunks);
  return null;
}

/** Larger chunks only wait in buffers. */
const maxScannerChunkBytes = 64 * 1024;

/** clamd's INSTREAM command: each chunk after its length, then an empty one. */
async function askClamd(
  address: { host: string; port: number },
  chunks: AsyncIterable<Uint8Array>,
  timeoutMs: number,
): Promise<string | null> {
  const socket = connect(address);
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error("it does not answer")));
  socket.on("error", () => {}); // The reply reports it.
  const reply = text(socket);
  reply.catch(() => {}); // It is awaited below, unless something else failed first.
  try {
    await tell(socket, reply, "zINSTREAM\0");
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length; at += maxScannerChunkBytes) {
        const piece = chunk.subarray(at, at + maxScannerChunkBytes);
        await tell(socket, reply, lengthOf(piece.length), piece);
      }
    await tell(socket, reply, lengthOf(0));
    return verdictOf(await awaited(reply));
  } finally {
    socket.destroy();
  }
}

/** With backpressure; the scanner may reply before it received everything. */
async function tell(
  socket: Socket,
  reply: Promise<string>,
  ...pieces: (string | Uint8Array)[]
): Promise<void> {
  const isTaken = pieces.map((piece) => socket.write(piece)).every(Boolean);
  if (isTaken) return;
  const word = await Promise.race([awaited(once(socket, "drain")), awaited(reply)]);
  if (typeof word === "string") throw new ScannerUnavailable(`The scanner answered ${wordOf(word)}`);
}

const awaited = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: Error) => {
    throw new ScannerUnavailable(`The scanner cannot be reached: ${error.message}`, { cause: error });
  });

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** `stream: OK`, `stream: Eicar-Signature FOUND`, or an error such as a file too large. */
function verdictOf(reply: string): string | null {
  const word = wordOf(reply);
  if (word === "OK") return null;
  if (word.endsWith(" FOUND")) return word.slice(0, -" FOUND".length);
  throw new ScannerUnavailable(`The scanner answered ${word || "nothing"}`);
}

const wordOf = (reply: string): string =>
  reply
    .replaceAll("\0", "")
    .trim()
    .replace(/^stream: /, "");
