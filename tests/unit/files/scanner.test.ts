import { createServer } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createScanner, ScannerUnavailable } from "../../../lib/files/scanner.ts";
import { eicar, startClamdStandIn } from "../../support/clamd-stand-in.ts";

async function* chunksOf(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

describe("a scanner that speaks clamd's INSTREAM", () => {
  let clamd: Awaited<ReturnType<typeof startClamdStandIn>>;
  beforeAll(async () => {
    clamd = await startClamdStandIn({ largest: 2_000_000 });
  });
  beforeEach(() => clamd.setMood("well"));
  afterAll(() => clamd.close());

  const scan = (chunks: AsyncIterable<Uint8Array>, timeoutMs = 10_000) =>
    createScanner({ FILE_SCANNER: clamd.setting }, timeoutMs).scan(chunks);

  it("says that nothing was found", async () => {
    expect(await scan(chunksOf("hello ", "world"))).toBeNull();
    expect(clamd.scanned.at(-1)).toBe(11);
  });

  it("names malware, also across two chunks", async () => {
    expect(await scan(chunksOf(`before ${eicar} after`))).toBe("Eicar-Test-Signature");
    expect(await scan(chunksOf(eicar.slice(0, 30), eicar.slice(30)))).toBe("Eicar-Test-Signature");
  });

  it("takes a file of no bytes, and one of many pieces", async () => {
    expect(await scan(chunksOf())).toBeNull();
    expect(await scan(chunksOf(Buffer.alloc(1_500_000, "x")))).toBeNull();
    expect(clamd.scanned.slice(-2)).toEqual([0, 1_500_000]);
  });

  it("can be retried if it rejects a large file, which it does before it has all", async () => {
    const endless = async function* () {
      for (let piece = 0; piece < 1000; piece++) yield Buffer.alloc(100_000, "x");
    };
    await expect(scan(endless())).rejects.toThrow(ScannerUnavailable);
  });

  it("can be retried if it disconnects, or is silent for too long", async () => {
    clamd.setMood("closing");
    await expect(scan(chunksOf("hello"))).rejects.toThrow(ScannerUnavailable);
    clamd.setMood("silent");
    await expect(scan(chunksOf("hello"), 100)).rejects.toThrow(ScannerUnavailable);
    clamd.setMood("well");
    expect(await scan(chunksOf("hello"))).toBeNull();
  });

  it("can be retried if it is not running", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const away = createScanner({ FILE_SCANNER: `clamd://127.0.0.1:${port}` });
    await expect(away.scan(chunksOf("hello"))).rejects.toThrow(ScannerUnavailable);
  });

  it("passes on why the bytes could not be read", async () => {
    const broken = async function* () {
      yield Buffer.from("hello");
      throw new Error("the store is away");
    };
    await expect(scan(broken())).rejects.toThrow("the store is away");
  });
});

it("no scanner finds nothing, and reads all bytes", async () => {
  let read = 0;
  const counted = async function* () {
    for await (const chunk of chunksOf("hello ", eicar)) {
      read += chunk.length;
      yield chunk;
    }
  };
  expect(await createScanner({ FILE_SCANNER: undefined }).scan(counted())).toBeNull();
  expect(read).toBe(6 + eicar.length);
});
