import { execFileSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  toFileStoreError,
  undefinedIfFileMissing,
  writeFileIfSizeMatches,
} from "../../../../lib/platform/file-store/folder/files.ts";
import { newObjectKey, newUploadKey } from "../../../../lib/platform/file-store/keys.ts";
import { serveFolder } from "../../../support/file-stores.ts";

const text = { size: 5, mediaType: "text/plain" };
const hash = "a".repeat(64);

describe("the server of a folder's URLs", () => {
  let folder: string;
  let served: Awaited<ReturnType<typeof serveFolder>>;
  let now = new Date("2026-03-10T12:00:00Z");
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "learning-platform-folder-"));
    served = await serveFolder(folder, () => now);
  });
  afterAll(async () => {
    await served.close();
    await rm(folder, { recursive: true, force: true });
  });

  const addressing = () => ({ expiresInSeconds: 300, publicUrl: served.publicUrl });

  const put = async (content: string, mediaType = "text/plain") => {
    const key = newUploadKey();
    const size = Buffer.byteLength(content);
    const { url, headers } = await served.store.signUpload(key, { size, mediaType }, addressing());
    expect((await fetch(url, { method: "PUT", headers, body: content })).status).toBe(200);
    return key;
  };

  const addressOf = async (content: string, mediaType = "text/plain", inline = true) => {
    const [from, to] = [await put(content), newObjectKey()];
    await served.store.take(from, to);
    const options = { name: "notes", mediaType, inline, sha256: hash, ...addressing() };
    return served.store.signDownload(to, options);
  };

  it("runs nothing on the service's origin, for any file", async () => {
    for (const mediaType of ["text/html", "image/svg+xml", "image/png", "video/mp4", "application/zip"]) {
      const { headers } = await fetch(await addressOf("<script>alert(1)</script>", mediaType));
      expect(headers.get("content-security-policy"), mediaType).toBe("sandbox");
      expect(headers.get("x-content-type-options"), mediaType).toBe("nosniff");
      expect(headers.get("referrer-policy"), mediaType).toBe("no-referrer");
    }
    const { headers } = await fetch(await addressOf("%PDF-1.7", "application/pdf"));
    expect(headers.get("content-security-policy")).toBe("default-src 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect((await fetch(`${served.publicUrl}/stored/nothing`)).headers.get("x-content-type-options")).toBe(
      "nosniff",
    );
  });

  it("gives the hash as the ETag, and by it 304 and ranges of the same bytes alone", async () => {
    const address = await addressOf("hello world");
    const whole = await fetch(address);
    expect(whole.headers.get("etag")).toBe(`"${hash}"`);
    expect(whole.headers.get("cache-control")).toBe("private, max-age=300, immutable");
    const known = await fetch(address, { headers: { "If-None-Match": `"${hash}"` } });
    expect([known.status, await known.text()]).toEqual([304, ""]);
    const range = { Range: "bytes=0-4" };
    expect(await (await fetch(address, { headers: { ...range, "If-Range": `"${hash}"` } })).text()).toBe(
      "hello",
    );
    expect(await (await fetch(address, { headers: { ...range, "If-Range": '"other"' } })).text()).toBe(
      "hello world",
    );
  });

  it.each([
    ["bytes=0-0", 206, "h"],
    ["bytes=-5", 206, "world"],
    ["bytes=-500", 206, "hello world"],
    ["bytes=4-99999", 206, "o world"],
    ["bytes=5-2", 200, "hello world"],
    ["bytes=0-1,3-4", 200, "hello world"],
    ["lines=1-2", 200, "hello world"],
    ["bytes=-0", 416, ""],
    ["bytes=11-20", 416, ""],
    [`bytes=${"9".repeat(400)}-`, 200, "hello world"],
  ])("answers the range %s with %i", async (Range, status, body) => {
    const answer = await fetch(await addressOf("hello world"), { headers: { Range } });
    expect(answer.status).toBe(status);
    if (status < 400) expect(await answer.text()).toBe(body);
    else expect(answer.headers.get("content-range")).toBe("bytes */11");
  });

  it("answers HEAD with the headers alone", async () => {
    const answer = await fetch(await addressOf("hello world"), { method: "HEAD" });
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([
      200,
      "11",
      "",
    ]);
  });

  it("allows pages of any origin to use a known URL, and answers preflights", async () => {
    const { url } = await served.store.signUpload(newUploadKey(), text, addressing());
    const { status, headers } = await fetch(url, {
      method: "OPTIONS",
      headers: { Origin: "https://learn.example.edu", "Access-Control-Request-Method": "PUT" },
    });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-methods")).toContain("PUT");
    expect(headers.get("access-control-allow-headers")).toContain("Content-Type");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("stores nothing of an interrupted body", async () => {
    const key = newUploadKey();
    const { url, headers } = await served.store.signUpload(key, { ...text, size: 1_000_000 }, addressing());
    const sending = request(url, { method: "PUT", headers: { ...headers, "Content-Length": "1000000" } });
    sending.on("error", () => {});
    sending.write("x".repeat(10_000));
    await expect.poll(() => readdir(path.join(folder, "incoming"))).not.toEqual([]);
    sending.destroy();
    await expect.poll(() => readdir(path.join(folder, "incoming"))).toEqual([]);
    expect(await served.store.sizeOf(key)).toBeUndefined();
  });

  it("counts a body of unknown length, and stores none that is too long", async () => {
    const send = async (pieces: string[]) => {
      const key = newUploadKey();
      const { url, headers } = await served.store.signUpload(key, text, addressing());
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      const sending = request(url, { method: "PUT", headers }, ({ statusCode }) => resolve(statusCode));
      sending.on("error", reject);
      for (const piece of pieces) sending.write(piece);
      sending.end();
      return [await promise, await served.store.sizeOf(key)];
    };
    expect(await send(["hel", "lo"])).toEqual([200, 5]);
    expect(await send(["hel", "lo!"])).toEqual([400, undefined]);
    expect(await send(["hel"])).toEqual([400, undefined]);
  });

  it("knows an address by the service's clock, and one that was signed with the secret before", async () => {
    const address = await addressOf("hello");
    now = new Date(now.getTime() + 301_000);
    const late = await fetch(address);
    expect([late.status, await late.json()]).toEqual([403, { detail: "This address has expired" }]);
    now = new Date(now.getTime() - 301_000);
    const renewed = {
      SECRET_KEY: "another secret of the tests, as long",
      SECRET_KEY_PREVIOUS: "a secret of the tests, long enough for HS256",
    };
    const other = await serveFolder(folder, () => now, renewed);
    const there = address.replace(served.publicUrl, other.publicUrl);
    expect(await (await fetch(there)).text()).toBe("hello");
    await other.close();
    const stranger = await serveFolder(folder, () => now, { SECRET_KEY: renewed.SECRET_KEY });
    const elsewhere = address.replace(served.publicUrl, stranger.publicUrl);
    expect((await fetch(elsewhere)).status).toBe(403);
    await stranger.close();
  });

  it("serves uploads of another machine that shares the folder", async () => {
    const other = await serveFolder(folder, () => now);
    expect(await other.store.sizeOf(await put("hello"))).toBe(5);
    await other.close();
  });

  it("opens only signed paths: none leads out of the folder", async () => {
    const address = await addressOf("hello");
    for (const subpath of ["../../etc/passwd", "objects/..%2f..%2fsecret", "incoming/x", "parts"])
      expect((await fetch(address.replace(/objects\/[0-9a-f]+/, subpath))).status, subpath).not.toBe(200);
    await expect(async () => served.store.sizeOf("objects/../../etc/passwd")).rejects.toThrow("not a key");
  });

  it("logs no address that opens something", async () => {
    await fetch(await addressOf("hello"));
    const line = () => served.lines.at(-1);
    await expect.poll(line).toMatchObject({ method: "GET", path: "/stored/{key}", status_code: 200 });
    expect(JSON.stringify(served.lines)).not.toContain("signature");
  });
});

describe("a folder", () => {
  it("that does not answer is a 503, never a hang", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-folder-"));
    const { store, close } = await serveFolder(folder);
    const key = newObjectKey();
    const name = key.slice("objects/".length);
    await mkdir(path.join(folder, "objects", name.slice(0, 2)), { recursive: true });
    // Opening a pipe blocks until a writer opens it.
    const pipe = path.join(folder, "objects", name.slice(0, 2), name);
    execFileSync("mkfifo", [pipe]);
    await expect(store.read(key)).rejects.toMatchObject({
      status: 503,
      message: "The file store cannot be reached",
    });
    await (await open(pipe, "r+")).close();
    await close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ["ENOSPC", "The file store is full"],
    ["EDQUOT", "The file store is full"],
    ["EIO", "The file store cannot be reached"],
    ["ESTALE", "The file store cannot be reached"],
    ["EROFS", "The file store cannot be reached"],
  ])("with the system's error %s is a 503 with that reason", (code, message) => {
    const error = Object.assign(new Error(code), { code, syscall: "write" });
    expect(toFileStoreError(error)).toMatchObject({
      status: 503,
      message,
      headers: { "Retry-After": expect.any(String) },
    });
  });

  it("misses a part that another request removes while it is read, instead of reporting an outage", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-folder-"));
    const removed = Readable.from(
      (async function* () {
        yield* createReadStream(path.join(folder, "removed"));
      })(),
    );
    expect(
      await undefinedIfFileMissing(writeFileIfSizeMatches(folder, "joined", removed, 5)),
    ).toBeUndefined();
    expect(await readdir(path.join(folder, "incoming"))).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it("says of a fault of the service's own nothing else than that", () => {
    const fault = new TypeError("no");
    expect(toFileStoreError(fault)).toBe(fault);
  });
});
