import { PlatformError, type Schemas, UploadCut, type UploadOptions } from "learning-platform-client";
import { findUploadRefusal, type UploadRefusal, type UploadRules } from "./upload-rules.ts";

type StoredFile = Schemas["StoredFile"];

/** WAITING: queued. CUT: the network failed; the upload can be resumed. */
export type UploadStatus = "WAITING" | "SENDING" | "CUT" | "CHECKING" | "READY" | "REFUSED";

export type FileUpload = {
  /** Key in the list. */
  readonly key: number;
  readonly name: string;
  /** Bytes. `sent` of them are uploaded. */
  readonly size: number;
  readonly sent: number;
  readonly state: UploadStatus;
  readonly refusal?: UploadRefusal;
  /** Set once the upload was created. */
  readonly id?: number;
  readonly mediaType: string;
  /** The file was attached before, so removing it here does not delete it. */
  readonly wasThere: boolean;
};

export type UploadQueueDeps = {
  send(
    file: Blob,
    options: Pick<UploadOptions, "name" | "onProgress" | "signal" | "resume">,
  ): Promise<StoredFile>;
  read(id: number): Promise<StoredFile>;
  remove(id: number): Promise<unknown>;
  pause(milliseconds: number): Promise<void>;
};

/** Some of the form's files have not been uploaded. */
export class FilesNotSentError extends Error {
  override name = "FilesNotSentError";
  readonly count: number;

  constructor(count: number) {
    super(`${count} files were not sent`);
    this.count = count;
  }
}

/** Concurrent uploads. A large file also uploads its parts concurrently. */
const maxConcurrentUploads = 3;

/** Polling intervals in milliseconds. A check takes seconds, or hours while the scanner is down. */
const [firstLookMs, longestLookMs] = [1000, 30_000];

type Known = Pick<Schemas["FileSummary"], "id" | "name" | "size" | "media_type" | "state">;

/** The uploads of a form, from selection to completion. `onChange` receives all of them on each change. */
export class UploadQueue {
  readonly #deeds: UploadQueueDeps;
  readonly #rules: UploadRules;
  readonly #onChange: (uploads: readonly FileUpload[]) => void;
  readonly #there: readonly Known[];
  readonly #files = new Map<number, File>();
  readonly #running = new Map<number, AbortController>();
  readonly #waiters: (() => void)[] = [];
  #uploads: readonly FileUpload[];
  #keys = 0;
  #isClosed = false;

  constructor(
    deeds: UploadQueueDeps,
    rules: UploadRules,
    onChange: (uploads: readonly FileUpload[]) => void,
    there: readonly Known[] = [],
  ) {
    this.#deeds = deeds;
    this.#rules = rules;
    this.#onChange = onChange;
    this.#there = there;
    this.#uploads = there.map(({ id, name, size, media_type, state }) => ({
      ...{ key: ++this.#keys, id, name: name ?? "", size, sent: size, mediaType: media_type, wasThere: true },
      // Attached files count as ready even while their check runs, since their uploader may see them.
      state: state === "REFUSED" ? "REFUSED" : "READY",
    }));
  }

  get uploads(): readonly FileUpload[] {
    return this.#uploads;
  }

  /** Starts uploads. Files that break a rule are rejected immediately. */
  add(given: readonly File[]): void {
    const { most } = this.#rules;
    // If only one file is allowed, a new one replaces it.
    const chosen = most === 1 ? given.slice(0, 1) : given;
    if (most === 1 && chosen.length > 0) for (const { key } of this.#uploads) this.remove(key);
    let room = most - this.#uploads.filter(({ state }) => state !== "REFUSED").length;
    const added = chosen.map((file): FileUpload => {
      const refusal = findUploadRefusal(file, this.#rules, room);
      const key = ++this.#keys;
      if (!refusal) {
        room -= 1;
        this.#files.set(key, file);
      }
      return {
        ...{ key, name: file.name, size: file.size, sent: 0, mediaType: file.type, wasThere: false },
        ...(refusal ? { state: "REFUSED", refusal } : { state: "WAITING" }),
      };
    });
    this.#put([...this.#uploads, ...added]);
    this.#startNext();
  }

  /** Cancels an upload and deletes its partial data. */
  remove(key: number): void {
    const upload = this.#find(key);
    this.#running.get(key)?.abort(new Error("cancelled"));
    const isOwn = upload && !upload.wasThere && upload.state !== "SENDING" && upload.state !== "REFUSED";
    if (isOwn && upload.id !== undefined) this.#deeds.remove(upload.id).catch(() => {});
    this.#files.delete(key);
    this.#put(this.#uploads.filter((one) => one.key !== key));
  }

  retry(key: number): void {
    if (!this.#files.has(key) || this.#running.has(key)) return;
    this.#put(
      this.#uploads.map(({ refusal: _, ...one }) =>
        one.key === key ? { ...one, state: "WAITING" as const } : one,
      ),
    );
    this.#startNext();
  }

  readonly mayRetry = ({ key, state, refusal }: FileUpload): boolean =>
    this.#files.has(key) && (state === "CUT" || (refusal?.why === "SERVICE" && mayPass(refusal.error)));

  /** Resumes uploads when the network is back. */
  readonly goOn = (): void => {
    for (const { key, state } of this.#uploads) if (state === "CUT") this.retry(key);
  };

  /** All ids once no upload is running. Rejects with `FilesNotSentError` if some failed. */
  async ids(): Promise<number[]> {
    while (this.#isUnderWay()) await new Promise<void>((resolve) => this.#waiters.push(resolve));
    const missing = this.#uploads.filter(({ state }) => state === "CUT" || state === "REFUSED");
    if (missing.length > 0) throw new FilesNotSentError(missing.length);
    return this.#uploads.flatMap(({ id }) => id ?? []);
  }

  /** Whether the files differ from those attached before. */
  isChanged(): boolean {
    const ids = this.#uploads.map(({ id }) => id);
    return ids.length !== this.#there.length || this.#there.some(({ id }, at) => id !== ids[at]);
  }

  /** Marks all as rejected, since the service refused to attach them. */
  refuse(error: unknown): void {
    this.#put(this.#uploads.map((one) => ({ ...one, state: "REFUSED", refusal: { why: "SERVICE", error } })));
  }

  /** Empties the list after its files were attached. */
  readonly clear = (): void => {
    for (const control of this.#running.values()) control.abort(new Error("cleared"));
    this.#files.clear();
    this.#put([]);
  };

  /** Stops watching when the form unmounts. */
  close(): void {
    this.#isClosed = true;
    for (const control of this.#running.values()) control.abort(new Error("closed"));
  }

  #find(key: number): FileUpload | undefined {
    return this.#uploads.find((one) => one.key === key);
  }

  #isUnderWay(): boolean {
    return this.#uploads.some(({ state }) => state === "WAITING" || state === "SENDING");
  }

  #put(uploads: readonly FileUpload[]): void {
    this.#uploads = uploads;
    if (!this.#isClosed) this.#onChange(uploads);
    if (!this.#isUnderWay()) for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #change(key: number, by: Partial<FileUpload>): void {
    this.#put(this.#uploads.map((one) => (one.key === key ? { ...one, ...by } : one)));
  }

  #startNext(): void {
    if (this.#isClosed) return;
    const free = maxConcurrentUploads - this.#running.size;
    const waiting = this.#uploads.filter(({ state }) => state === "WAITING");
    for (const { key } of waiting.slice(0, free)) this.#send(key);
  }

  async #send(key: number): Promise<void> {
    const [upload, file] = [this.#find(key), this.#files.get(key)];
    if (!upload || !file) return;
    const control = new AbortController();
    this.#running.set(key, control);
    this.#change(key, { state: "SENDING" });
    try {
      const stored = await this.#deeds.send(file, {
        name: upload.name,
        signal: control.signal,
        onProgress: ({ sent }) => this.#change(key, { sent }),
        ...(upload.id !== undefined && { resume: upload.id }),
      });
      this.#take(key, stored);
    } catch (error) {
      if (!control.signal.aborted) this.#change(key, failureOf(error));
    } finally {
      this.#running.delete(key);
      this.#startNext();
    }
  }

  /** Applies the service's state of the file. */
  #take(key: number, { id, state, media_type, refusal, code }: StoredFile): void {
    if (state === "PENDING") this.#change(key, { id, state: "CUT" });
    else if (state === "REFUSED")
      this.#change(key, { id, state, refusal: { why: "STORED", code, said: refusal ?? "" } });
    else {
      this.#change(key, { id, state, mediaType: media_type, sent: this.#find(key)?.size ?? 0 });
      this.#files.delete(key);
      if (state === "CHECKING") this.#watch(key, id, firstLookMs);
    }
  }

  /** Polls until the check has ended. */
  async #watch(key: number, id: number, afterMs: number): Promise<void> {
    const isChecked = () => this.#find(key)?.state === "CHECKING";
    await this.#deeds.pause(afterMs);
    if (this.#isClosed || !isChecked()) return;
    const stored = await this.#deeds.read(id).catch(() => undefined);
    if (!isChecked()) return;
    if (stored && stored.state !== "CHECKING") this.#take(key, stored);
    else await this.#watch(key, id, Math.min(afterMs * 2, longestLookMs));
  }
}

/** The state after a failed upload. */
function failureOf(error: unknown): Partial<FileUpload> {
  if (error instanceof UploadCut) return { state: "CUT", id: error.fileId };
  // The network failed before the upload was created.
  if (error instanceof TypeError) return { state: "CUT" };
  return { state: "REFUSED", refusal: { why: "SERVICE", error } };
}

/** Whether the error is temporary: 429, 5xx or a network failure. */
const mayPass = (error: unknown): boolean =>
  error instanceof PlatformError ? error.status === 429 || error.status >= 500 : error instanceof Error;
