import type { Bucket } from "./bucket.ts";

/** Larger objects are copied in concurrent ranges: one call copies some 100 MB per second. */
const copiedAtOnce = 32 * 1024 * 1024;

/** Below a request's time limit. */
const copySeconds = 25;

const rangesAtOnce = 8;

/** Returns the object's size; undefined if it does not exist. Fails if the source changes during the copy. */
export async function copyObjectIfUnchanged(
  bucket: Bucket,
  from: string,
  to: string,
): Promise<number | undefined> {
  const found = await bucket.call(({ aws, client }, abortSignal) =>
    client.send(new aws.HeadObjectCommand({ Bucket: bucket.name, Key: from }), { abortSignal }),
  );
  if (!found) return undefined;
  const { ContentLength: size = 0, ContentType, ETag } = found;
  const source = { CopySource: `${bucket.name}/${from}`, CopySourceIfMatch: ETag };
  if (size > copiedAtOnce)
    return (await copyInRanges(bucket, { source, to, size, ContentType })) ? size : undefined;
  const target = { Bucket: bucket.name, Key: to };
  const copied = await bucket.call(
    ({ aws, client }, abortSignal) =>
      client.send(new aws.CopyObjectCommand({ ...target, ...source }), { abortSignal }),
    copySeconds,
  );
  return copied && size;
}

type Copy = {
  source: { CopySource: string; CopySourceIfMatch: string | undefined };
  to: string;
  size: number;
  ContentType: string | undefined;
};

const copyInRanges = (bucket: Bucket, { source, to, size, ContentType }: Copy) =>
  bucket.call(async ({ aws, client }, abortSignal) => {
    const target = { Bucket: bucket.name, Key: to };
    const begun = await client.send(new aws.CreateMultipartUploadCommand({ ...target, ContentType }), {
      abortSignal,
    });
    const upload = { ...target, UploadId: begun.UploadId };
    const copyRange = async (number: number) => {
      const start = (number - 1) * copiedAtOnce;
      const end = Math.min(start + copiedAtOnce, size);
      const range = {
        ...upload,
        ...source,
        PartNumber: number,
        CopySourceRange: `bytes=${start}-${end - 1}`,
      };
      const copied = await client.send(new aws.UploadPartCopyCommand(range), { abortSignal });
      return { PartNumber: number, ETag: copied.CopyPartResult?.ETag };
    };
    try {
      const numbers = Array.from({ length: Math.ceil(size / copiedAtOnce) }, (_, index) => index + 1);
      const Parts = [];
      for (let first = 0; first < numbers.length; first += rangesAtOnce)
        Parts.push(...(await Promise.all(numbers.slice(first, first + rangesAtOnce).map(copyRange))));
      await client.send(new aws.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), {
        abortSignal,
      });
      return true;
    } catch (error) {
      await client.send(new aws.AbortMultipartUploadCommand(upload)).catch(() => {}); // The bucket removes it later.
      throw error;
    }
  }, copySeconds);
