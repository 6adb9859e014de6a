import type { S3Client, S3ClientConfig } from "@aws-sdk/client-s3";
import type { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { HttpError } from "../../errors.ts";
import type { FileStoreSetting } from "../../validation/file-store-setting.ts";
import { storeAway, storeFull, timeoutSeconds } from "../file-store.ts";

export type BucketSetting = Extract<FileStoreSetting, { kind: "s3" }>;

type Aws = typeof import("@aws-sdk/client-s3");

export type Connection = { aws: Aws; client: S3Client; sign: typeof getSignedUrl };

/** The names of what says that something is not there. */
const missing = ["NoSuchKey", "NotFound", "NoSuchUpload"];

const full = ["QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "EntityTooLarge"];

/** What the client says of a failure; an answer to HEAD has a status alone. */
export function failureOf(error: unknown): { name: string; status: number | undefined } {
  const { name = typeof error, $metadata } = Object(error) as {
    name?: string;
    $metadata?: { httpStatusCode?: number };
  };
  return { name, status: $metadata?.httpStatusCode };
}

/** What may be logged of a failure: a store's own words can quote what it was sent. */
class S3Failure extends Error {
  override name = "S3Failure";
}

/**
 * Calls a bucket's service, whose client is loaded by the first call and kept. What is missing there is undefined;
 * a service that refuses, or is slower than it may be, a 503. Without `credentials` the platform's own chain has them.
 */
export function connectionTo(
  setting: BucketSetting,
  usualSeconds: number = timeoutSeconds,
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
      const { name, status } = failureOf(error);
      if (missing.includes(name)) return undefined;
      const failure = new S3Failure(name);
      throw full.includes(name) || status === 507 ? storeFull(failure) : storeAway(failure);
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
    // By default the checksum of an empty body would be signed, and the real one refused.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: 3000, socketTimeout: timeoutSeconds * 1000 },
  });
  return { aws, client, sign: getSignedUrl };
}
