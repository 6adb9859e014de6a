import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { Config } from "../config.ts";

/** Looks for what harms in the bytes of files. */
export type Scanner = {
  /**
   * The name of what was found in the bytes; null where nothing was. Reads all of them in any case but a failure, so that
   * whoever gives them can count or hash on the way. Throws `ScannerAway`, and what the bytes' own reader throws.
   */
  scan(chunks: AsyncIterable<Uint8Array>): Promise<string | null>;
};

/** No word of the scanner's: it is away, too slow, or takes no file so large. It is to be asked again later. */
export class ScannerAway extends Error {
  override name = "ScannerAway";
}

/** How long it is waited for while nothing moves: to look into an archive takes it a while. */
const silenceMs = 120_000;

/** What the settings name; where they name none, nothing is ever found. */
export function scannerOf({ FILE_SCANNER }: Pick<Config, "FILE_SCANNER">, timeoutMs = silenceMs): Scanner {
  if (!FILE_SCANNER) return { scan: readAll };
  const { hostname, port } = new URL(FILE_SCANNER);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return { scan: (chunks) => askClamd({ host, port: Number(port) }, chunks, timeoutMs) };
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<null> {
  for await (const _ of chunks);
  return null;
}

/** Larger pieces would only be kept waiting. */
const largestPiece = 64 * 1024;

/** The INSTREAM command: pieces, each after its length, and one of none at the end. */
async function askClamd(
  address: { host: string; port: number },
  chunks: AsyncIterable<Uint8Array>,
  timeoutMs: number,
): Promise<string | null> {
  const socket = connect(address);
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error("it does not answer")));
  socket.on("error", () => {}); // The reply says so.
  const reply = text(socket);
  reply.catch(() => {}); // It is waited for below, or something else went wrong before.
  try {
    await tell(socket, reply, "zINSTREAM\0");
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length; at += largestPiece) {
        const piece = chunk.subarray(at, at + largestPiece);
        await tell(socket, reply, lengthOf(piece.length), piece);
      }
    await tell(socket, reply, lengthOf(0));
    return verdictOf(await awaited(reply));
  } finally {
    socket.destroy();
  }
}

/** Sends that, and waits while the scanner has not taken it; it may say its word before it was told all. */
async function tell(
  socket: Socket,
  reply: Promise<string>,
  ...pieces: (string | Uint8Array)[]
): Promise<void> {
  const isTaken = pieces.map((piece) => socket.write(piece)).every(Boolean);
  if (isTaken) return;
  const word = await Promise.race([awaited(once(socket, "drain")), awaited(reply)]);
  if (typeof word === "string") throw new ScannerAway(`The scanner says ${wordOf(word)}`);
}

const awaited = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: Error) => {
    throw new ScannerAway(`The scanner cannot be asked: ${error.message}`, { cause: error });
  });

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** `stream: OK`, `stream: Eicar-Signature FOUND`, or an error, such as of a file that is too large for it. */
function verdictOf(reply: string): string | null {
  const word = wordOf(reply);
  if (word === "OK") return null;
  if (word.endsWith(" FOUND")) return word.slice(0, -" FOUND".length);
  throw new ScannerAway(`The scanner says ${word || "nothing"}`);
}

const wordOf = (reply: string): string =>
  reply
    .replaceAll("\0", "")
    .trim()
    .replace(/^stream: /, "");
