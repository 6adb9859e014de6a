import type { Schemas } from "./client.ts";

export type UploadProgress = { sent: number; total: number };

type Scope = Omit<Schemas["FileCreate"], "name" | "size" | "media_type" | "purpose">;

export type UploadOptions = Scope & {
  purpose: Schemas["FileCreate"]["purpose"];
  /** For blobs without a name. */
  name?: string;
  /** Called as bytes are sent, and at the end. */
  onProgress?: (progress: UploadProgress) => void;
  signal?: AbortSignal;
  /** The id from an `UploadCut`: resumes that upload with the same file. */
  resume?: number;
  /** Tries per part, with growing pauses. Default: 5. */
  tries?: number;
};

/** The network or service failed for too long. Continue by `uploadFile` with `resume: fileId`. */
export class UploadCut extends Error {
  override name = "UploadCut";
  readonly fileId: number;

  constructor(fileId: number, cause: unknown) {
    super("The upload was cut", { cause });
    this.fileId = fileId;
  }
}
