import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import type { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { HttpError } from "../../../errors.ts";
import type { FileStoreSetting } from "../../validation/file-store-setting.ts";
import { fileStoreFullError, fileStoreTimeoutSeconds, fileStoreUnreachableError } from "../file-store.ts";

export type BucketSetting = Extract<FileStoreSetting, { kind: "s3" }>;

type Aws = typeof import("@aws-sdk/client-s3");

export type Connection = { aws: Aws; client: S3Client; sign: typeof getSignedUrl };

const missing = ["NoSuchKey", "NotFound", "NoSuchUpload"];

const full = ["QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "EntityTooLarge"];

/** A HEAD response has only a status. */
export function describeS3Failure(error: unknown): { name: string; status: number | undefined } {
  const { name = typeof error, $metadata } = Object(error) as {
    name?: string;
    $metadata?: { httpStatusCode?: number };
  };
  return { name, status: $metadata?.httpStatusCode };
}

/** Loggable: the store's own message may quote data. */
class S3Failure extends Error {
  override name = "S3Failure";
}

/**
 * The first call loads the client. Missing objects are undefined; errors and timeouts throw 503. Without
 * `credentials`, uses the platform's default chain.
 */
export function createS3Caller(
  setting: BucketSetting,
  usualSeconds: number = fileStoreTimeoutSeconds,
  credentials?: S3ClientConfig["credentials"],
) {
  let connected: Promise<Connection> | undefined;

  return async function call<T>(
    work: (connection: Connection, abortSignal: AbortSignal) => Promise<T>,
    seconds: number = usualSeconds,
  ): Promise<T | undefined> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), seconds * 1000);
    try {
      connected ??= connect(setting, credentials);
      return await work(await connected, timeout.signal);
    } catch (error) {
      if (error instanceof HttpError) throw error;
      const { name, status } = describeS3Failure(error);
      if (missing.includes(name)) return undefined;
      const failure = new S3Failure(name);
      throw full.includes(name) || status === 507
        ? fileStoreFullError(failure)
        : fileStoreUnreachableError(failure);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function connect(
  { region, endpoint, pathStyle }: BucketSetting,
  credentials: S3ClientConfig["credentials"],
): Promise<Connection> {
  const [aws, { getSignedUrl }] = await Promise.all([
    import("@aws-sdk/client-s3"),
    import("@aws-sdk/s3-request-presigner"),
  ]);
  const client = new aws.S3Client({
    region,
    ...(endpoint && { endpoint }),
    ...(credentials && { credentials }),
    forcePathStyle: pathStyle,
    maxAttempts: 2,
    // By default the SDK signs an empty body's checksum, and the store rejects the real one.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: 3000, socketTimeout: fileStoreTimeoutSeconds * 1000 },
  });
  return { aws, client, sign: getSignedUrl };
}
