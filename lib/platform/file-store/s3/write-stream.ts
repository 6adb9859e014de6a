import { choosePartSize, type DeclaredUpload, type FileStore } from "../file-store.ts";
import { newUploadKey } from "../keys.ts";
import type { Bucket } from "./bucket.ts";
import { copyObjectIfUnchanged } from "./copy-object.ts";

/** A part of some megabytes takes longer than other calls. */
const partSeconds = 60;

/** One call if the content fits a part, otherwise parts at an upload key. Aborted uploads are swept. */
export async function writeInParts(
  bucket: Bucket,
  parts: Pick<FileStore, "beginParts" | "joinParts" | "dropParts">,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  announced: DeclaredUpload,
): Promise<void> {
  const { size, mediaType } = announced;
  const partSize = choosePartSize(size);
  if (size <= partSize) {
    for await (const Body of inParts(chunks, partSize, size))
      await put(
        bucket,
        (aws) =>
          new aws.PutObjectCommand({
            Bucket: bucket.name,
            Key: key,
            Body,
            ContentType: mediaType,
            ContentLength: Body.length,
          }),
      );
    if (size === 0)
      await put(
        bucket,
        (aws) =>
          new aws.PutObjectCommand({
            Bucket: bucket.name,
            Key: key,
            Body: Buffer.alloc(0),
            ContentType: mediaType,
          }),
      );
    return;
  }
  const upload = await parts.beginParts(newUploadKey(), announced);
  try {
    let number = 0;
    for await (const Body of inParts(chunks, upload.partSize, size)) {
      number += 1;
      const input = {
        Bucket: bucket.name,
        Key: upload.key,
        UploadId: upload.multipartId,
        PartNumber: number,
      };
      await put(bucket, (aws) => new aws.UploadPartCommand({ ...input, Body, ContentLength: Body.length }));
    }
    const { missing } = await parts.joinParts(upload);
    if (missing.length > 0 || (await copyObjectIfUnchanged(bucket, upload.key, key)) !== size)
      throw new Error("a stream was not written whole");
    await bucket.call(({ aws, client }, abortSignal) =>
      client.send(new aws.DeleteObjectCommand({ Bucket: bucket.name, Key: upload.key }), { abortSignal }),
    );
  } catch (error) {
    await parts.dropParts(upload).catch(() => {}); // Swept later.
    throw error;
  }
}

type Aws = typeof import("@aws-sdk/client-s3");
type Command = InstanceType<Aws["PutObjectCommand"]> | InstanceType<Aws["UploadPartCommand"]>;

const put = async (bucket: Bucket, command: (aws: Aws) => Command): Promise<void> => {
  await bucket.must(
    ({ aws, client }, abortSignal) =>
      client.send(command(aws) as InstanceType<Aws["PutObjectCommand"]>, { abortSignal }),
    partSeconds,
  );
};

/** Throws if the total differs from the announced size. */
async function* inParts(
  chunks: AsyncIterable<Uint8Array>,
  partSize: number,
  size: number,
): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let length = 0;
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > size) throw new Error("a stream has more bytes than were announced");
    held.push(chunk);
    length += chunk.length;
    while (length >= partSize) {
      const bytes = Buffer.concat(held, length);
      yield bytes.subarray(0, partSize);
      held = [bytes.subarray(partSize)];
      length -= partSize;
    }
  }
  if (total !== size) throw new Error("a stream has fewer bytes than were announced");
  if (length > 0) yield Buffer.concat(held, length);
}
