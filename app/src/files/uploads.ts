import { PlatformError, type Schemas, UploadCut, type UploadOptions } from "learning-platform-client";
import { type Refusal, refusalBefore, type UploadRules } from "./upload-rules.ts";

type StoredFile = Schemas["File"];

/** WAITING for its turn; CUT where the network stayed away: it goes on from there. */
export type UploadState = "WAITING" | "SENDING" | "CUT" | "CHECKING" | "READY" | "REFUSED";

export type Upload = {
  /** Tells those of a list apart. */
  readonly key: number;
  readonly name: string;
  /** Bytes, of which `sent` have gone. */
  readonly size: number;
  readonly sent: number;
  readonly state: UploadState;
  readonly refusal?: Refusal;
  /** Known once something of it is there. */
  readonly id?: number;
  readonly mediaType: string;
  /** It hung there before, and its bytes are not ours to delete. */
  readonly wasThere: boolean;
};

/** What a list asks of the service. */
export type UploadDeeds = {
  send(
    file: Blob,
    options: Pick<UploadOptions, "name" | "onProgress" | "signal" | "resume">,
  ): Promise<StoredFile>;
  read(id: number): Promise<StoredFile>;
  remove(id: number): Promise<unknown>;
  /** Resolves after so long. */
  pause(milliseconds: number): Promise<void>;
};

export type UploadList = ReturnType<typeof uploadList>;

/** A form is sent with all of its files: so many of them have not come. */
export class FilesMissing extends Error {
  override name = "FilesMissing";
  readonly count: number;

  constructor(count: number) {
    super(`${count} files were not sent`);
    this.count = count;
  }
}

/** So many go at once; a large one goes in several parts itself. */
const atOnce = 3;

/** A check takes seconds, and hours where the scanner is away. */
const [firstLookMs, longestLookMs] = [1000, 30_000];

type Known = Pick<Schemas["FileSummary"], "id" | "name" | "size" | "media_type" | "state">;

/** The files of a form, from their choice until they are there; `onChange` is called with all of them whenever one changes. */
export function uploadList(
  deeds: UploadDeeds,
  rules: UploadRules,
  onChange: (uploads: readonly Upload[]) => void,
  there: readonly Known[] = [],
) {
  let keys = 0;
  let list: readonly Upload[] = there.map(({ id, name, size, media_type, state }) => ({
    ...{ key: ++keys, id, name: name ?? "", size, sent: size, mediaType: media_type, wasThere: true },
    // It is looked at by whoever sent it.
    state: state === "REFUSED" ? "REFUSED" : "READY",
  }));
  const files = new Map<number, File>();
  const running = new Map<number, AbortController>();
  const waiters: (() => void)[] = [];
  let isClosed = false;

  const found = (key: number) => list.find((one) => one.key === key);

  function put(next: readonly Upload[]): void {
    list = next;
    if (!isClosed) onChange(list);
    const isUnderWay = list.some(({ state }) => state === "WAITING" || state === "SENDING");
    if (!isUnderWay) for (const resolve of waiters.splice(0)) resolve();
  }

  const change = (key: number, by: Partial<Upload>) =>
    put(list.map((one) => (one.key === key ? { ...one, ...by } : one)));

  const forget = (key: number) => {
    files.delete(key);
    put(list.filter((one) => one.key !== key));
  };

  function startNext(): void {
    if (isClosed) return;
    const free = atOnce - running.size;
    for (const { key } of list.filter(({ state }) => state === "WAITING").slice(0, free)) send(key);
  }

  async function send(key: number): Promise<void> {
    const [upload, file] = [found(key), files.get(key)];
    if (!upload || !file) return;
    const control = new AbortController();
    running.set(key, control);
    change(key, { state: "SENDING" });
    try {
      const stored = await deeds.send(file, {
        name: upload.name,
        signal: control.signal,
        onProgress: ({ sent }) => change(key, { sent }),
        ...(upload.id !== undefined && { resume: upload.id }),
      });
      take(key, stored);
    } catch (error) {
      if (!control.signal.aborted) change(key, failureOf(error));
    } finally {
      running.delete(key);
      startNext();
    }
  }

  /** What became of it in the service's eyes. */
  function take(key: number, { id, state, media_type, refusal }: StoredFile): void {
    if (state === "PENDING") change(key, { id, state: "CUT" });
    else if (state === "REFUSED")
      change(key, { id, state, refusal: { why: "SERVICE", error: refusal ?? "" } });
    else {
      change(key, { id, state, mediaType: media_type, sent: found(key)?.size ?? 0 });
      files.delete(key);
      if (state === "CHECKING") watch(key, id, firstLookMs);
    }
  }

  /** Looks from time to time what a check has found. */
  async function watch(key: number, id: number, afterMs: number): Promise<void> {
    await deeds.pause(afterMs);
    if (isClosed || found(key)?.state !== "CHECKING") return;
    const stored = await deeds.read(id).catch(() => undefined);
    if (found(key)?.state !== "CHECKING") return;
    if (stored && stored.state !== "CHECKING") take(key, stored);
    else await watch(key, id, Math.min(afterMs * 2, longestLookMs));
  }

  /** A file that is not sent on: what is there of it goes. */
  function remove(key: number): void {
    const upload = found(key);
    running.get(key)?.abort(new Error("cancelled"));
    const isOwn = upload && !upload.wasThere && upload.state !== "SENDING" && upload.state !== "REFUSED";
    if (isOwn && upload.id !== undefined) deeds.remove(upload.id).catch(() => {});
    forget(key);
  }

  function retry(key: number): void {
    if (!files.has(key) || running.has(key)) return;
    put(
      list.map(({ refusal: _, ...one }) => (one.key === key ? { ...one, state: "WAITING" as const } : one)),
    );
    startNext();
  }

  return {
    get uploads(): readonly Upload[] {
      return list;
    },
    /** Begins to send them; what cannot be taken anyway is refused where it stands. */
    add(given: readonly File[]): void {
      // Where there is one alone, another takes its place.
      const chosen = rules.most === 1 ? given.slice(0, 1) : given;
      if (rules.most === 1 && chosen.length > 0) for (const { key } of list) remove(key);
      const room = rules.most - list.filter(({ state }) => state !== "REFUSED").length;
      let taken = 0;
      const added = chosen.map((file): Upload => {
        const refusal = refusalBefore(file, rules, room - taken);
        const key = ++keys;
        if (!refusal) {
          taken += 1;
          files.set(key, file);
        }
        return {
          ...{ key, name: file.name, size: file.size, sent: 0, mediaType: file.type, wasThere: false },
          ...(refusal ? { state: "REFUSED", refusal } : { state: "WAITING" }),
        };
      });
      put([...list, ...added]);
      startNext();
    },
    remove,
    retry,
    /** Whether trying again may help. */
    mayRetry: ({ key, state, refusal }: Upload): boolean =>
      files.has(key) && (state === "CUT" || (refusal?.why === "SERVICE" && mayPass(refusal.error))),
    /** The network is back. */
    goOn(): void {
      for (const { key, state } of list) if (state === "CUT") retry(key);
    },
    /** The ids of all, once none is on its way; rejects with `FilesMissing` where some have not come. */
    async ids(): Promise<number[]> {
      const isUnderWay = () => list.some(({ state }) => state === "WAITING" || state === "SENDING");
      while (isUnderWay()) await new Promise<void>((resolve) => waiters.push(resolve));
      const missing = list.filter(({ state }) => state === "CUT" || state === "REFUSED");
      if (missing.length > 0) throw new FilesMissing(missing.length);
      return list.flatMap(({ id }) => id ?? []);
    },
    /** Whether others hang there than did before. */
    isChanged(): boolean {
      const ids = list.map(({ id }) => id);
      return ids.length !== there.length || there.some(({ id }, at) => id !== ids[at]);
    },
    /** All that is there was refused where it was to be put. */
    refuse(error: unknown): void {
      put(list.map((one) => ({ ...one, state: "REFUSED", refusal: { why: "SERVICE", error } })));
    },
    /** What was put somewhere is no more of this list. */
    clear(): void {
      for (const control of running.values()) control.abort(new Error("cleared"));
      files.clear();
      put([]);
    },
    /** Nobody waits for them any more. */
    close(): void {
      isClosed = true;
      for (const control of running.values()) control.abort(new Error("closed"));
    },
  };
}

/** What an upload is after its sending failed. */
function failureOf(error: unknown): Partial<Upload> {
  if (error instanceof UploadCut) return { state: "CUT", id: error.fileId };
  // Neither promised nor read: the network was away from the beginning.
  if (error instanceof TypeError) return { state: "CUT" };
  return { state: "REFUSED", refusal: { why: "SERVICE", error } };
}

/** A refusal that has to do with the moment rather than with the file. */
const mayPass = (error: unknown): boolean =>
  error instanceof PlatformError ? error.status === 429 || error.status >= 500 : error instanceof Error;
