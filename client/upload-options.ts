import type { Schemas } from "./client.ts";

export type UploadProgress = { sent: number; total: number };

type Scope = Omit<Schemas["FileCreate"], "name" | "size" | "media_type" | "purpose">;

export type UploadOptions = Scope & {
  purpose: Schemas["FileCreate"]["purpose"];
  /** Of what has no name of its own. */
  name?: string;
  /** Told as bytes go, and at the end. */
  onProgress?: (progress: UploadProgress) => void;
  signal?: AbortSignal;
  /** The id that an `UploadCut` has: goes on where that stopped, with the same file. */
  resume?: number;
  /** How often a piece is sent before it is given up; after each try it waits longer. 5 unless it is said. */
  tries?: number;
};

/** The network, or the service, was away for too long. `uploadFile` with `resume: fileId` goes on. */
export class UploadCut extends Error {
  override name = "UploadCut";
  readonly fileId: number;

  constructor(fileId: number, cause: unknown) {
    super("The upload was cut", { cause });
    this.fileId = fileId;
  }
}
