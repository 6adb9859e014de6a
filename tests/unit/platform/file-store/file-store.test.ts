import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type {
  SignedRequest,
  StartedMultipartUpload,
} from "../../../../lib/platform/file-store/file-store.ts";
import { newObjectKey, newUploadKey } from "../../../../lib/platform/file-store/keys.ts";
import { isOfOthers, knownStores, type OpenStore } from "../../../support/file-stores.ts";
import { freezeTime, isPending } from "../../../support/frozen-time.ts";
import { standInKeys } from "../../../support/s3-stand-in.ts";

const mebibyte = 1024 * 1024;

const send = ({ method, url, headers }: SignedRequest, body: Uint8Array, others = {}) =>
  fetch(url, { method, headers: { ...headers, ...others }, body: Buffer.from(body) });

describe.each(Object.entries(knownStores))("a file store that is %s", (_name, { open, troubles }) => {
  if (!isOfOthers) freezeTime();
  let world: OpenStore;
  beforeAll(async () => {
    if (!isOfOthers) {
      vi.stubEnv("AWS_ACCESS_KEY_ID", standInKeys.accessKeyId);
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", standInKeys.secretAccessKey);
    }
    world = await open();
  });
  afterAll(async () => {
    await world.close();
    vi.unstubAllEnvs();
  });

  const addressing = (expiresInSeconds = 600) => ({ expiresInSeconds, publicUrl: world.publicUrl });
  const text = { size: 5, mediaType: "text/plain" };
  const download = {
    ...{ name: "a.txt", mediaType: "text/plain", inline: false, sha256: null as string | null },
  };

  const readText = async (key: string, range?: { start: number; end: number }) => {
    const stream = await world.store.read(key, range);
    return stream && (await buffer(stream)).toString();
  };

  const put = async (content: string | Uint8Array, mediaType = "text/plain") => {
    const bytes = Buffer.from(content);
    const key = newUploadKey();
    const request = await world.store.signUpload(key, { size: bytes.length, mediaType }, addressing());
    expect((await send(request, bytes)).status).toBe(200);
    return key;
  };

  /** Stored bytes with a download URL. */
  const kept = async (content: string | Uint8Array, mediaType = "text/plain") => {
    const [from, to] = [await put(content, mediaType), newObjectKey()];
    await world.store.take(from, to);
    await world.store.remove([from]);
    return to;
  };

  it("stores the service's own bytes, and replaces existing ones", async () => {
    const key = newObjectKey();
    for (const text of ["one", "another", ""]) {
      await world.store.write(key, Buffer.from(text), "application/gzip");
      expect([await world.store.sizeOf(key), await readText(key)]).toEqual([text.length, text]);
    }
  });

  describe("with a stream of the service", () => {
    /** Bytes in chunks that do not align with parts. */
    async function* chunksOf(bytes: Uint8Array, failsAt = Number.POSITIVE_INFINITY) {
      for (let at = 0; at < bytes.length; at += 700_001) {
        if (at >= failsAt) throw new Error("the source broke off");
        yield bytes.subarray(at, at + 700_001);
      }
    }
    const announced = (size: number) => ({ size, mediaType: "application/zip" });
    /** Removes leftover uploads: earlier tests completed none. */
    const sweepAll = () => world.store.sweepUploads(new Date(Date.now() + 3600_000));

    it.each([0, 5, 17 * mebibyte + 3])(
      "stores %i bytes unchanged, and replaces existing ones",
      async (size) => {
        const bytes = randomBytes(size);
        const key = newObjectKey();
        await world.store.write(key, Buffer.from("before"), "text/plain");
        await sweepAll();
        await world.store.writeStream(key, chunksOf(bytes), announced(size));
        expect(await world.store.sizeOf(key)).toBe(size);
        const stream = await world.store.read(key);
        expect(stream && (await buffer(stream)).equals(bytes)).toBe(true);
        expect(await sweepAll()).toBe(0);
      },
    );

    it.each([
      ["breaks off", 17 * mebibyte, 12 * mebibyte, 17 * mebibyte],
      ["breaks off before a part is full", 1000_000, 1, 1000_000],
      ["has fewer bytes than were announced", 17 * mebibyte, Number.POSITIVE_INFINITY, 17 * mebibyte + 1],
      ["has more bytes than were announced", 17 * mebibyte, Number.POSITIVE_INFINITY, 17 * mebibyte - 1],
    ])("leaves nothing of one that %s", async (_, size, failsAt, said) => {
      const key = newObjectKey();
      await sweepAll();
      const written = world.store.writeStream(key, chunksOf(Buffer.alloc(size, 7), failsAt), announced(said));
      await expect(written).rejects.toThrow();
      expect(await world.store.sizeOf(key)).toBeUndefined();
      expect(await sweepAll()).toBe(0);
    });
  });

  describe("with an upload by URL", () => {
    it("stores exactly those, and returns their number", async () => {
      const key = await put("hello");
      expect(await world.store.sizeOf(key)).toBe(5);
      expect(await readText(key)).toBe("hello");
    });

    it("stores an empty file", async () => {
      const key = await put("");
      expect(await world.store.sizeOf(key)).toBe(0);
      expect(await readText(key)).toBe("");
    });

    it.each([
      ["more", "hello!"],
      ["fewer", "hell"],
    ])("rejects %s than announced, and stores none", async (_, body) => {
      const key = newUploadKey();
      const request = await world.store.signUpload(key, text, addressing());
      const { status } = await send(request, Buffer.from(body));
      expect([400, 403]).toContain(status);
      expect(await world.store.sizeOf(key)).toBeUndefined();
    });

    it("rejects another type than announced, and stores none", async () => {
      const key = newUploadKey();
      const request = await world.store.signUpload(key, text, addressing());
      const { status } = await send(request, Buffer.from("hello"), { "Content-Type": "text/html" });
      expect([400, 403]).toContain(status);
      expect(await world.store.sizeOf(key)).toBeUndefined();
    });

    it("rejects a URL that was altered, or signed for something else", async () => {
      const key = newUploadKey();
      const request = await world.store.signUpload(key, text, addressing());
      const other = { ...request, url: request.url.replace(key, newUploadKey()) };
      expect((await send(other, Buffer.from("hello"))).status).toBe(403);
      const altered = { ...request, url: request.url.replace("ignature=", "ignature=0") };
      expect((await send(altered, Buffer.from("hello"))).status).toBe(403);
      const address = await world.store.signDownload(await kept("kept"), { ...download, ...addressing() });
      expect((await fetch(address, { method: "PUT", body: "over" })).status).toBe(403);
      expect((await fetch(request.url)).status).toBe(403);
      expect((await fetch(request.url, { method: "DELETE" })).status).not.toBeLessThan(400);
      expect(await world.store.sizeOf(key)).toBeUndefined();
    });

    it("rejects an expired URL", async () => {
      const key = newUploadKey();
      const request = await world.store.signUpload(key, text, addressing(1));
      const address = await world.store.signDownload(await kept("x"), { ...download, ...addressing(1) });
      if (!isOfOthers) vi.setSystemTime(Date.now() + 2000);
      await expect.poll(async () => (await fetch(address)).status, { message: "it expires" }).toBe(403);
      expect((await send(request, Buffer.from("hello"))).status).toBe(403);
      expect(await world.store.sizeOf(key)).toBeUndefined();
    });

    it("returns the expiry of the URL", async () => {
      const { expires_at } = await world.store.signUpload(newUploadKey(), text, addressing(600));
      const seconds = (Date.parse(expires_at) - Date.now()) / 1000;
      expect(seconds).toBeGreaterThan(500);
      expect(seconds).toBeLessThanOrEqual(600);
    });
  });

  describe("with a completed upload", () => {
    it("has it at the new key, whatever is sent to the old URL afterwards", async () => {
      const [from, to] = [newUploadKey(), newObjectKey()];
      const request = await world.store.signUpload(from, text, addressing());
      await send(request, Buffer.from("first"));
      expect(await world.store.take(from, to)).toBe(5);
      expect((await send(request, Buffer.from("later"))).status).toBe(200);
      expect(await readText(to)).toBe("first");
      await world.store.remove([from]);
      expect(await readText(to)).toBe("first");
    });

    it("says that nothing was sent", async () => {
      const to = newObjectKey();
      expect(await world.store.take(newUploadKey(), to)).toBeUndefined();
      expect(await world.store.sizeOf(to)).toBeUndefined();
    });

    it("gives two concurrent completions a separate object each", async () => {
      const from = await put("hello");
      const keys = [newObjectKey(), newObjectKey()];
      expect(await Promise.all(keys.map((to) => world.store.take(from, to)))).toEqual([5, 5]);
      expect(await Promise.all(keys.map((to) => readText(to)))).toEqual(["hello", "hello"]);
    });

    it("copies objects above the limit of one call, byte by byte", async () => {
      const size = 33 * mebibyte + 7;
      const bytes = Buffer.alloc(size, "0123456789abcdef");
      const to = newObjectKey();
      expect(await world.store.take(await put(bytes), to)).toBe(size);
      const hash = createHash("sha256");
      for await (const chunk of (await world.store.read(to)) ?? []) hash.update(chunk);
      expect(hash.digest("hex")).toBe(createHash("sha256").update(bytes).digest("hex"));
      await world.store.remove([to]);
    });
  });

  describe("with an upload in parts", () => {
    const sizes = [5 * mebibyte, 5 * mebibyte, 17];
    const size = sizes.reduce((sum, one) => sum + one);
    const bytes = randomBytes(size);
    const partOf = (number: number) => bytes.subarray((number - 1) * 5 * mebibyte, number * 5 * mebibyte);

    const begin = async (key = newUploadKey()): Promise<StartedMultipartUpload> => ({
      ...(await world.store.beginParts(key, { size, mediaType: "application/zip" })),
      partSize: 5 * mebibyte,
    });

    const sendParts = async (upload: StartedMultipartUpload, numbers: number[]) => {
      const parts = (await world.store.signParts(upload, addressing())) ?? [];
      for (const { number, upload } of parts)
        if (upload && numbers.includes(number)) expect((await send(upload, partOf(number))).status).toBe(200);
    };

    const there = async (upload: StartedMultipartUpload) =>
      (await world.store.signParts(upload, addressing()))
        ?.filter((part) => part.is_there)
        .map((part) => part.number);

    it("lists the received ones, signs the others, and makes one file of all", async () => {
      const upload = await begin();
      const parts = await world.store.signParts(upload, addressing());
      expect(parts?.map((part) => part.size)).toEqual(sizes);
      expect(await there(upload)).toEqual([]);
      await sendParts(upload, [1, 3]);
      expect(await there(upload)).toEqual([1, 3]);
      expect(await world.store.joinParts(upload)).toEqual({ missing: [2] });
      expect(await world.store.sizeOf(upload.key)).toBeUndefined();
      await sendParts(upload, [2]);
      expect(await world.store.joinParts(upload)).toEqual({ missing: [] });
      expect(await world.store.sizeOf(upload.key)).toBe(size);
      const stream = await world.store.read(upload.key);
      expect(stream && (await buffer(stream)).equals(bytes)).toBe(true);
      // Repeating has no effect, and nothing more can be uploaded.
      expect(await world.store.joinParts(upload)).toEqual({ missing: [] });
      expect(await world.store.signParts(upload, addressing())).toBeUndefined();
    });

    it("makes one file of them for two concurrent requests", async () => {
      const upload = await begin();
      await sendParts(upload, [1, 2, 3]);
      const joined = await Promise.all([world.store.joinParts(upload), world.store.joinParts(upload)]);
      expect(joined).toEqual([{ missing: [] }, { missing: [] }]);
      expect(await world.store.sizeOf(upload.key)).toBe(size);
    });

    it("takes no part of another length", async () => {
      const upload = await begin();
      const [first] = (await world.store.signParts(upload, addressing())) ?? [];
      if (!first?.upload) throw new Error("no address was signed");
      // Some stores disconnect before they read a rejected body to its end.
      const told = await send(first.upload, partOf(1).subarray(1)).then(
        ({ status }) => status,
        ({ cause }) => cause?.code,
      );
      expect([400, 403, "ECONNRESET", "EPIPE"]).toContain(told);
      expect(await there(upload)).toEqual([]);
    });

    it("has none of them after they were dropped", async () => {
      const upload = await begin();
      await sendParts(upload, [1, 3]);
      await world.store.dropParts(upload);
      await world.store.dropParts(upload);
      expect((await there(upload)) ?? []).toEqual([]);
      expect((await world.store.joinParts(upload)).missing).toEqual([1, 2, 3]);
    });
  });

  describe("with a download", () => {
    it("gives ranges of bytes to the service", async () => {
      const key = await kept("hello world");
      expect(await readText(key, { start: 0, end: 5 })).toBe("hello");
      expect(await readText(key, { start: 6, end: 1000 })).toBe("world");
      expect(await readText(newObjectKey())).toBeUndefined();
      expect(await readText(newObjectKey(), { start: 0, end: 5 })).toBeUndefined();
    });

    it("gives the first bytes of a file that has none", async () => {
      expect(await readText(await kept(""), { start: 0, end: 4096 })).toBe("");
    });

    it("returns ranges at a URL, and rejects one past the end", async () => {
      const address = await world.store.signDownload(await kept("hello world"), {
        ...download,
        ...addressing(),
      });
      const part = await fetch(address, { headers: { Range: "bytes=6-" } });
      expect([part.status, await part.text()]).toEqual([206, "world"]);
      expect(part.headers.get("content-range")).toBe("bytes 6-10/11");
      expect((await fetch(address, { headers: { Range: "bytes=11-" } })).status).toBe(416);
      const whole = await fetch(address);
      expect([whole.status, await whole.text()]).toEqual([200, "hello world"]);
    });

    it("names a file as people did, in any script, and says its type", async () => {
      const name = 'Übung "1"; 試験/\u202eexe.pdf';
      const address = await world.store.signDownload(await kept("hello"), {
        ...{ ...download, name, mediaType: "application/pdf", ...addressing() },
      });
      const { headers } = await fetch(address);
      expect(headers.get("content-type")).toBe("application/pdf");
      const disposition = headers.get("content-disposition") ?? "";
      expect(disposition).toMatch(/^attachment; filename="[ -~]+"; filename\*=UTF-8''[\w.%-]+$/);
      expect(decodeURIComponent(disposition.split("''")[1] ?? "")).toBe('Übung "1"; 試験_exe.pdf');
    });

    it("displays only safe types inline, and never sends a type that runs", async () => {
      const answered = async (mediaType: string) => {
        const key = await kept("<svg onload='alert(1)'/>");
        const options = { ...download, mediaType, inline: true, ...addressing() };
        const { headers } = await fetch(await world.store.signDownload(key, options));
        return [headers.get("content-disposition")?.split(";")[0], headers.get("content-type")];
      };
      expect(await answered("image/png")).toEqual(["inline", "image/png"]);
      expect(await answered("video/mp4")).toEqual(["inline", "video/mp4"]);
      expect(await answered("text/plain")).toEqual(["inline", "text/plain; charset=utf-8"]);
      for (const type of [
        "text/html",
        "image/svg+xml",
        "application/xhtml+xml",
        "text/javascript",
        "text/xml",
      ])
        expect(await answered(type), type).toEqual(["attachment", "application/octet-stream"]);
      expect(await answered("application/zip")).toEqual(["attachment", "application/zip"]);
    });

    it("answers 404 at the URL of a removed object", async () => {
      const key = await kept("hello");
      const address = await world.store.signDownload(key, { ...download, ...addressing() });
      await world.store.remove([key, newObjectKey()]);
      expect(await world.store.sizeOf(key)).toBeUndefined();
      expect((await fetch(address)).status).toBe(404);
    });
  });

  it("lists all its objects, page by page, without uploads", async () => {
    const keys = await Promise.all(Array.from({ length: 7 }, () => kept("listed")));
    const listed = new Map<string, number>();
    for await (const { key, size, modified_at } of world.store.list("objects/")) {
      expect(Math.abs(modified_at.getTime() - Date.now())).toBeLessThan(600_000);
      listed.set(key, size);
    }
    for (const key of keys) expect(listed.get(key)).toBe(6);
    expect([...listed.keys()].filter((key) => !key.startsWith("objects/"))).toEqual([]);
  });

  it("deletes old incomplete uploads, and no others", async () => {
    const [old, fresh, taken] = [await put("old"), await put("fresh"), await kept("taken")];
    const upload = await world.store.beginParts(newUploadKey(), { size: 5, mediaType: "text/plain" });
    const [part] = (await world.store.signParts(upload, addressing())) ?? [];
    if (part?.upload) await send(part.upload, Buffer.from("parts"));
    await world.age?.(old, 48 * 3600_000);
    await world.age?.(taken, 48 * 3600_000);
    const isOld = world.age ? 1 : 0;
    expect(await world.store.sweepUploads(new Date(Date.now() - 24 * 3600_000))).toBe(isOld);
    expect(await world.store.sizeOf(old)).toBe(isOld ? undefined : 3);
    expect([await readText(fresh), await readText(taken)]).toEqual(["fresh", "taken"]);
    expect(await world.store.sweepUploads(new Date(Date.now() + 3600_000))).toBeGreaterThan(1);
    expect((await world.store.joinParts(upload)).missing).toEqual([1]);
    expect(await readText(taken)).toBe("taken");
  });

  it.each(troubles)("that is %s is a 503 with Retry-After, never a hang", async (trouble) => {
    const { store, setTrouble } = world;
    await setTrouble(trouble);
    const upload = { key: newUploadKey(), multipartId: "0".repeat(32), size: 5, partSize: 5 };
    const list = async () => {
      for await (const _ of store.list("objects/"));
    };
    const verbs: (() => Promise<unknown>)[] = [
      () => store.sizeOf(newObjectKey()),
      () => store.read(newObjectKey()),
      () => store.take(newUploadKey(), newObjectKey()),
      () => store.remove([newObjectKey()]),
      () => store.writeStream(newObjectKey(), Readable.from([Buffer.from("hello")]), text),
      () => store.signParts(upload, addressing()),
      () => store.joinParts(upload),
      () => store.dropParts(upload),
      list,
      () => store.sweepUploads(new Date()),
    ];
    const detail = trouble === "full" ? "The file store is full" : "The file store cannot be reached";
    const refusals = Promise.allSettled(verbs.map((verb) => verb()));
    // Retries and timeouts use the test's clock; a working store responds long before.
    const stepMs = trouble === "slow" ? 1000 : 10;
    await expect
      .poll(
        async () => {
          await vi.advanceTimersByTimeAsync(stepMs);
          return isPending(refusals);
        },
        { message: "every verb is refused" },
      )
      .toBe(false);
    for (const refused of await refusals)
      expect(refused).toMatchObject({
        status: "rejected",
        reason: { status: 503, message: detail, headers: { "Retry-After": expect.any(String) } },
      });
    await setTrouble(undefined);
    expect(await readText(await kept("again"))).toBe("again");
  });
});
