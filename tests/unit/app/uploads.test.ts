import { createPlatformClient, type Schemas, uploadFile } from "learning-platform-client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { FilesNotSentError, type FileUpload, UploadQueue } from "../../../app/src/files/upload-queue.ts";
import type { UploadRules } from "../../../app/src/files/upload-rules.ts";

type Stored = Pick<Schemas["StoredFile"], "id" | "state" | "refusal" | "name" | "size" | "media_type">;

/** A controllable service and store. Files from eight bytes have parts of four. */
function openService() {
  const files = new Map<number, Stored & { parts: Set<number> }>();
  const asked: string[] = [];
  let ids = 0;
  const service = {
    files,
    asked,
    isAway: false,
    /** Called before the store responds. May throw like a lost network. */
    onPut: async (_url: string): Promise<void> => {},
    onComplete: (file: Stored): [status: number, body: object] => [200, { ...file, state: "READY" }],
  };
  const shown = (file: Stored & { parts: Set<number> }) => ({
    ...file,
    upload:
      file.state !== "PENDING"
        ? null
        : file.size < 8
          ? { method: "PUT", url: `https://store.invalid/${file.id}`, headers: {}, expires_at: "" }
          : {
              ...{ method: "PUT", url: null, headers: {}, expires_at: "" },
              parts: Array.from({ length: Math.ceil(file.size / 4) }, (_, at) => ({
                ...{ number: at + 1, offset: at * 4, size: Math.min(4, file.size - at * 4), headers: {} },
                url: file.parts.has(at + 1) ? null : `https://store.invalid/${file.id}/${at + 1}`,
              })),
            },
  });
  const answer = (status: number, body: object = {}) => Response.json(body, { status });
  const operate = async (request: Request): Promise<Response> => {
    if (service.isAway) throw new TypeError("Failed to fetch");
    const [, id, verb] = /\/files\/(\d+)?\/?(complete)?$/.exec(new URL(request.url).pathname) ?? [];
    asked.push([request.method, id, verb].filter(Boolean).join(" "));
    if (!id) {
      const body = (await request.json()) as Schemas["FileCreate"];
      const file = { ...body, id: ++ids, state: "PENDING" as const, refusal: null, parts: new Set<number>() };
      files.set(file.id, file);
      return answer(201, shown(file));
    }
    const file = files.get(Number(id));
    if (!file) return answer(404, { detail: "File not found" });
    if (request.method === "DELETE") {
      files.delete(file.id);
      return new Response(null, { status: 204 });
    }
    if (!verb) return answer(200, shown(file));
    const [status, body] = service.onComplete(file);
    if (status === 200) Object.assign(file, body);
    return answer(status, status === 200 ? shown(file) : body);
  };
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push(`PUT ${new URL(url).pathname.slice(1)}`);
    await service.onPut(url);
    if (init.signal?.aborted) throw init.signal.reason;
    if (service.isAway) throw new TypeError("Failed to fetch");
    const [id, part] = new URL(url).pathname.slice(1).split("/");
    files.get(Number(id))?.parts.add(Number(part ?? 0));
    return new Response(null, { status: 200 });
  });
  const client = createPlatformClient({ baseUrl: "https://service.invalid", fetch: operate });
  return { ...service, service, client };
}

const anything: UploadRules = { largest: 100, most: 20 };

const fileOf = (name: string, size = 4, type = "text/plain") => new File(["x".repeat(size)], name, { type });

type Known = ConstructorParameters<typeof UploadQueue>[3];

function open(rules = anything, there: Known = []) {
  const { client, ...opened } = openService();
  const seen: (readonly FileUpload[])[] = [];
  const pauses: (() => void)[] = [];
  const scope = { purpose: "SUBMISSION", course_offering_id: 3, content_item_id: 7, tries: 1 } as const;
  const list = new UploadQueue(
    {
      send: (file, options) => uploadFile(client, file, { ...scope, ...options }),
      read: async (file_id) =>
        (await client.getFile({ params: { path: { file_id } } })).data as Schemas["StoredFile"],
      remove: (file_id) => client.deleteFile({ params: { path: { file_id } } }),
      pause: () => new Promise((resolve) => pauses.push(resolve)),
    },
    rules,
    (uploads) => seen.push(uploads),
    there,
  );
  const states = () => list.uploads.map(({ name, state }) => `${name} ${state}`);
  return { ...opened, list, seen, pauses, states };
}

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the files of a form", () => {
  it("are sent three at a time, and their ids are returned in order once all are complete", async () => {
    const { list, states, service, asked } = open();
    const first = gate();
    service.onPut = () => first.passed;
    list.add(["a", "b", "c", "d"].map((name) => fileOf(name)));
    await expect.poll(() => asked.filter((one) => one.startsWith("PUT")).length).toBe(3);
    expect(states()).toEqual(["a SENDING", "b SENDING", "c SENDING", "d WAITING"]);
    first.open();
    expect(await list.ids()).toEqual([1, 2, 3, 4]);
    expect(states()).toEqual(["a READY", "b READY", "c READY", "d READY"]);
  });

  it("show the number of sent bytes", async () => {
    const { list, seen } = open();
    list.add([fileOf("large", 10)]);
    await list.ids();
    const sent = seen.map(([one]) => one?.sent ?? 0);
    expect(sent).toEqual(sent.toSorted((one, other) => one - other));
    expect([sent[0], sent.at(-1)]).toEqual([0, 10]);
  });

  it("continue without a cancelled one, of which nothing stays at the service", async () => {
    const { list, files, service, states } = open();
    const held = gate();
    service.onPut = (url) => (url.endsWith("/2") ? held.passed : Promise.resolve());
    list.add(["a", "b", "c"].map((name) => fileOf(name)));
    await expect.poll(states).toEqual(["a READY", "b SENDING", "c READY"]);
    const [, second] = list.uploads;
    list.remove(second?.key ?? 0);
    held.open();
    expect(await list.ids()).toEqual([1, 3]);
    await expect.poll(() => [...files.keys()]).toEqual([1, 3]);
    expect(states()).toEqual(["a READY", "c READY"]);
  });

  it("continue after a network failure: no part is sent twice", async () => {
    const { list, service, states, asked } = open();
    service.onPut = async (url) => {
      if (url.endsWith("/2")) service.isAway = true;
    };
    list.add([fileOf("large", 12)]);
    await expect.poll(states).toEqual(["large CUT"]);
    await expect(list.ids()).rejects.toEqual(new FilesNotSentError(1));
    const there = [...(service.files.get(1)?.parts ?? [])];
    service.onPut = async () => {};
    service.isAway = false;
    asked.length = 0;
    list.goOn();
    expect(await list.ids()).toEqual([1]);
    const missing = [1, 2, 3].filter((part) => !there.includes(part)).map((part) => `PUT 1/${part}`);
    expect(asked.filter((one) => one.startsWith("PUT"))).toEqual(missing);
    expect(asked).not.toContain("POST");
  });

  it("start again without an announcement, and are completed later if the store is unavailable then", async () => {
    const { list, service, states, asked } = open();
    service.isAway = true;
    list.add([fileOf("a")]);
    await expect.poll(states).toEqual(["a CUT"]);
    service.isAway = false;
    service.onComplete = () => [503, { detail: "The store is away" }];
    list.goOn();
    await expect.poll(states).toEqual(["a CUT"]);
    service.onComplete = (file) => [200, { ...file, state: "READY" }];
    const [one] = list.uploads;
    expect(one && list.mayRetry(one)).toBe(true);
    list.retry(one?.key ?? 0);
    expect(await list.ids()).toEqual([1]);
    expect(asked.filter((each) => each === "POST")).toHaveLength(1);
  });

  it("are rejected at their place when they are empty, too large, of another kind or too many, without a request", async () => {
    const { list, asked } = open({ largest: 10, most: 2, accept: "image/png,image/jpeg" });
    list.add([
      fileOf("empty.png", 0, "image/png"),
      fileOf("large.png", 11, "image/png"),
      fileOf("words.txt", 4),
    ]);
    expect(list.uploads.map(({ refusal }) => refusal)).toEqual([
      { why: "EMPTY" },
      { why: "LARGE", largest: 10 },
      { why: "KIND", accept: "image/png,image/jpeg" },
    ]);
    expect(asked).toEqual([]);
    await expect(list.ids()).rejects.toEqual(new FilesNotSentError(3));
    for (const { key } of list.uploads) list.remove(key);
    list.add(["1", "2", "3"].map((name) => fileOf(name, 4, "image/png")));
    expect(list.uploads.map(({ refusal }) => refusal)).toEqual([
      undefined,
      undefined,
      { why: "MANY", most: 2 },
    ]);
    list.remove(list.uploads[2]?.key ?? 0);
    expect(await list.ids()).toEqual([1, 2]);
  });

  it("keep the service's reason of a rejection, and offer a retry only if it may help", async () => {
    const { list, service, asked } = open();
    service.onComplete = (file) =>
      file.name === "program"
        ? [400, { detail: "Programs are not accepted, and this is application/x-elf" }]
        : [429, { detail: "You can upload at most 5 GB a day" }];
    list.add([fileOf("program"), fileOf("many")]);
    await expect(list.ids()).rejects.toEqual(new FilesNotSentError(2));
    const said = list.uploads.map(
      ({ refusal }) => refusal?.why === "SERVICE" && (refusal.error as Error).message,
    );
    expect(said).toEqual([
      "Programs are not accepted, and this is application/x-elf",
      "You can upload at most 5 GB a day",
    ]);
    expect(list.uploads.map(list.mayRetry)).toEqual([false, true]);
    asked.length = 0;
    list.retry(list.uploads[0]?.key ?? 0);
    for (const { key } of list.uploads) list.remove(key);
    expect(list.uploads).toEqual([]);
    await expect(list.ids()).resolves.toEqual([]);
  });

  it("are listed during their check, and then show its result", async () => {
    const { list, service, files, pauses, states } = open();
    service.onComplete = (file) => [200, { ...file, state: "CHECKING" }];
    list.add([fileOf("a"), fileOf("b")]);
    expect(await list.ids()).toEqual([1, 2]);
    expect(states()).toEqual(["a CHECKING", "b CHECKING"]);
    const look = () => {
      for (const end of pauses.splice(0)) end();
    };
    look();
    await expect.poll(() => pauses.length).toBe(2);
    expect(states()).toEqual(["a CHECKING", "b CHECKING"]);
    Object.assign(files.get(1) ?? {}, { state: "READY" });
    Object.assign(files.get(2) ?? {}, {
      state: "REFUSED",
      refusal: "The scanner found Eicar",
      code: "file_infected",
    });
    look();
    await expect.poll(states).toEqual(["a READY", "b REFUSED"]);
    expect(list.uploads[1]?.refusal).toEqual({
      why: "STORED",
      code: "file_infected",
      said: "The scanner found Eicar",
    });
    await expect(list.ids()).rejects.toEqual(new FilesNotSentError(1));
  });

  it("begin with the attached ones, which are no change and are only deleted there", async () => {
    const there = [{ id: 40, name: "old", size: 4, media_type: "text/plain", state: "READY" as const }];
    const { list, asked, states } = open(anything, there);
    expect([states(), list.isChanged(), await list.ids()]).toEqual([["old READY"], false, [40]]);
    list.add([fileOf("new")]);
    expect(await list.ids()).toEqual([40, 1]);
    expect(list.isChanged()).toBe(true);
    list.remove(list.uploads[0]?.key ?? 0);
    expect(await list.ids()).toEqual([1]);
    expect(asked.filter((one) => one.startsWith("DELETE"))).toEqual([]);
    list.remove(list.uploads[0]?.key ?? 0);
    await expect.poll(() => asked.filter((one) => one.startsWith("DELETE"))).toEqual(["DELETE 1"]);
  });

  it("are only one if there is room for one: another replaces it", async () => {
    const { list, files, states } = open({ largest: 10, most: 1 });
    list.add([fileOf("first")]);
    await list.ids();
    list.add([fileOf("second"), fileOf("third")]);
    expect(await list.ids()).toEqual([2]);
    expect(states()).toEqual(["second READY"]);
    await expect.poll(() => [...files.keys()]).toEqual([2]);
  });

  it("end with their form: running uploads are cancelled, without a notice", async () => {
    const { list, files, service, seen, asked } = open();
    const held = gate();
    service.onPut = () => held.passed;
    list.add([fileOf("a")]);
    await expect.poll(() => asked).toContain("PUT 1");
    const told = seen.length;
    list.close();
    held.open();
    await expect.poll(() => files.size).toBe(0);
    expect(seen).toHaveLength(told);
  });
});
