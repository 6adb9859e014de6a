import { Readable } from "node:stream";
import { contentDispositionHeader } from "../disposition.ts";
import type { FileStore, StoredObject } from "../file-store.ts";
import { isSafeToShow, safeServedContentType } from "../inline-display.ts";
import { openBucket } from "./bucket.ts";
import { type BucketSetting, describeS3Failure } from "./connection.ts";
import { copyObjectIfUnchanged } from "./copy-object.ts";
import { createMultipartOperations } from "./parts.ts";
import { writeInParts } from "./write-stream.ts";

/** The bulk delete call differs between S3 implementations. */
const removedAtOnce = 16;

export function s3Store(setting: BucketSetting, now: () => Date): FileStore {
  const bucket = openBucket(setting, now);
  const Bucket = setting.bucket;

  const sizeOf: FileStore["sizeOf"] = (Key) =>
    bucket.call(async ({ aws, client }, abortSignal) => {
      const found = await client.send(new aws.HeadObjectCommand({ Bucket, Key }), { abortSignal });
      return found.ContentLength ?? 0;
    });

  async function* list(prefix: string): AsyncGenerator<StoredObject> {
    let token: string | undefined;
    do {
      const asked = { Bucket, Prefix: prefix, ...(token && { ContinuationToken: token }) };
      const page = await bucket.must(({ aws, client }, abortSignal) =>
        client.send(new aws.ListObjectsV2Command(asked), { abortSignal }),
      );
      for (const { Key = "", Size = 0, LastModified = new Date(0) } of page.Contents ?? [])
        yield { key: Key, size: Size, modified_at: LastModified };
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token);
  }

  const remove = async (keys: readonly string[]) => {
    for (let first = 0; first < keys.length; first += removedAtOnce)
      await Promise.all(
        keys
          .slice(first, first + removedAtOnce)
          .map((Key) =>
            bucket.call(({ aws, client }, abortSignal) =>
              client.send(new aws.DeleteObjectCommand({ Bucket, Key }), { abortSignal }),
            ),
          ),
      );
  };

  const parts = createMultipartOperations(bucket, sizeOf);

  return {
    ...parts,
    ...{ sizeOf, list, remove },
    name: `s3://${Bucket}${setting.endpoint ? ` at ${setting.endpoint}` : ""}`,

    signUpload: (Key, { size, mediaType }, addressing) =>
      bucket.must((connection) => {
        const input = { Bucket, Key, ContentLength: size, ContentType: mediaType };
        const command = new connection.aws.PutObjectCommand(input);
        return bucket.signWrite(connection, command, addressing, { "Content-Type": mediaType });
      }),

    take: (from, to) => copyObjectIfUnchanged(bucket, from, to),

    async write(Key, bytes, ContentType) {
      await bucket.must(({ aws, client }, abortSignal) => {
        const input = { Bucket, Key, Body: bytes, ContentType, ContentLength: bytes.length };
        return client.send(new aws.PutObjectCommand(input), { abortSignal });
      });
    },

    writeStream: (key, chunks, announced) => writeInParts(bucket, parts, key, chunks, announced),

    read: (Key, range) =>
      bucket.call(async ({ aws, client }, abortSignal) => {
        const Range = range && `bytes=${range.start}-${range.end - 1}`;
        const asked = new aws.GetObjectCommand({ Bucket, Key, Range });
        const found = await client.send(asked, { abortSignal }).catch(emptyPastTheEnd);
        return found.Body as Readable;
      }),

    signDownload: (Key, { name, mediaType, inline, expiresInSeconds }) =>
      bucket.must(({ aws, client, sign }) => {
        const answered = {
          ResponseContentType: safeServedContentType(mediaType),
          ResponseContentDisposition: contentDispositionHeader(name, {
            inline: inline && isSafeToShow(mediaType),
          }),
          ResponseCacheControl: `private, max-age=${expiresInSeconds}`,
        };
        const command = new aws.GetObjectCommand({ Bucket, Key, ...answered });
        return sign(client, command, { expiresIn: expiresInSeconds });
      }),

    async sweepUploads(before) {
      const old: string[] = [];
      for await (const { key, modified_at } of list("uploads/")) if (modified_at < before) old.push(key);
      await remove(old);
      return old.length + (await parts.dropBegunBefore(before));
    },
  };
}

/** A range beyond the end, such as any range of an empty file, is empty. */
function emptyPastTheEnd(error: unknown): { Body: Readable } {
  if (describeS3Failure(error).status === 416) return { Body: Readable.from([]) };
  throw error;
}
