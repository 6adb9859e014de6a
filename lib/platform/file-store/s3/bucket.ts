import type { PutObjectCommand, UploadPartCommand } from "@aws-sdk/client-s3";
import type { SignedRequest, SignedUrlOptions } from "../file-store.ts";
import { fileStoreUnreachableError } from "../file-store.ts";
import { type BucketSetting, type Connection, createS3Caller } from "./connection.ts";

export type Bucket = ReturnType<typeof openBucket>;

/** The URL is valid only for this length and type. */
const signableHeaders = new Set(["host", "content-length", "content-type"]);

export function openBucket(setting: BucketSetting, now: () => Date) {
  const call = createS3Caller(setting);
  return {
    name: setting.bucket,
    call,

    /** Like `call`, for an object that must exist. */
    async must<T>(
      work: (connection: Connection, abortSignal: AbortSignal) => Promise<T>,
      seconds?: number,
    ): Promise<T> {
      const result = await call(work, seconds);
      if (result === undefined) throw fileStoreUnreachableError();
      return result;
    },

    /** Uses real time, because the store does not know the service's clock. */
    async signWrite(
      { client, sign }: Connection,
      command: PutObjectCommand | UploadPartCommand,
      { expiresInSeconds }: SignedUrlOptions,
      headers: SignedRequest["headers"],
    ): Promise<SignedRequest> {
      const url = await sign(client, command as PutObjectCommand, {
        expiresIn: expiresInSeconds,
        signableHeaders,
      });
      const expires = Math.floor(now().getTime() / 1000) + expiresInSeconds;
      return { method: "PUT", url, headers, expires_at: new Date(expires * 1000).toISOString() };
    },
  };
}
