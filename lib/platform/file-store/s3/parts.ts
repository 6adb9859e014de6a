import type { ListMultipartUploadsCommandOutput, ListPartsCommandOutput } from "@aws-sdk/client-s3";
import {
  choosePartSize,
  type FileStore,
  listUploadPartSizes,
  type StartedMultipartUpload,
} from "../file-store.ts";
import type { Bucket } from "./bucket.ts";

/** Joining many parts is a store's slowest call. */
const joinSeconds = 25;

/** The client sets and signs this type for a part without one. */
const partHeaders = { "Content-Type": "application/octet-stream" };

type PartVerbs = Pick<FileStore, "beginParts" | "signParts" | "joinParts" | "dropParts"> & {
  dropBegunBefore(moment: Date): Promise<number>;
};

/** The bucket, not the client, decides which parts exist. */
export function createMultipartOperations(bucket: Bucket, sizeOf: FileStore["sizeOf"]): PartVerbs {
  const targetOf = ({ key, multipartId }: StartedMultipartUpload) => ({
    ...{ Bucket: bucket.name, Key: key, UploadId: multipartId },
  });

  /** By number; undefined if the upload does not exist. */
  const partsThere = (upload: StartedMultipartUpload) =>
    bucket.call(async ({ aws, client }, abortSignal) => {
      const promised = new Map(listUploadPartSizes(upload).map(({ number, size }) => [number, size]));
      const there = new Map<number, string>();
      let after: string | undefined;
      do {
        const asked = { ...targetOf(upload), ...(after && { PartNumberMarker: after }) };
        const page: ListPartsCommandOutput = await client.send(new aws.ListPartsCommand(asked), {
          abortSignal,
        });
        for (const { PartNumber = 0, ETag, Size } of page.Parts ?? [])
          if (ETag && promised.get(PartNumber) === Size) there.set(PartNumber, ETag);
        // Stores return a next marker even on the last page.
        after = page.IsTruncated ? page.NextPartNumberMarker : undefined;
      } while (after);
      return there;
    });

  /** For an upload unknown to the bucket: joined, or removed. */
  const wasJoined = async ({ key, size }: StartedMultipartUpload) => (await sizeOf(key)) === size;

  return {
    async beginParts(key, { size, mediaType }) {
      const begun = await bucket.must(({ aws, client }, abortSignal) =>
        client.send(
          new aws.CreateMultipartUploadCommand({ Bucket: bucket.name, Key: key, ContentType: mediaType }),
          { abortSignal },
        ),
      );
      return { key, multipartId: begun.UploadId ?? "", size, partSize: choosePartSize(size) };
    },

    async signParts(upload, addressing) {
      const there = await partsThere(upload);
      if (!there) return undefined;
      return bucket.must((connection) =>
        Promise.all(
          listUploadPartSizes(upload).map(async ({ number, size }) => {
            if (there.has(number)) return { number, size, is_there: true, upload: null };
            const input = { ...targetOf(upload), PartNumber: number, ContentLength: size };
            const command = new connection.aws.UploadPartCommand(input);
            const signed = await bucket.signWrite(connection, command, addressing, partHeaders);
            return { number, size, is_there: false, upload: signed };
          }),
        ),
      );
    },

    async joinParts(upload) {
      const numbers = listUploadPartSizes(upload).map(({ number }) => number);
      const there = await partsThere(upload);
      if (!there) return { missing: (await wasJoined(upload)) ? [] : numbers };
      const missing = numbers.filter((number) => !there.has(number));
      if (missing.length > 0) return { missing };
      const Parts = numbers.map((PartNumber) => ({ PartNumber, ETag: there.get(PartNumber) }));
      const joined = await bucket.call(
        ({ aws, client }, abortSignal) =>
          client.send(
            new aws.CompleteMultipartUploadCommand({ ...targetOf(upload), MultipartUpload: { Parts } }),
            { abortSignal },
          ),
        joinSeconds,
      );
      // A concurrent request joined the parts first.
      return { missing: joined || (await wasJoined(upload)) ? [] : numbers };
    },

    async dropParts(upload) {
      await bucket.call(({ aws, client }, abortSignal) =>
        client.send(new aws.AbortMultipartUploadCommand(targetOf(upload)), { abortSignal }),
      );
    },

    dropBegunBefore: (moment) =>
      bucket.must(async ({ aws, client }, abortSignal) => {
        let dropped = 0;
        let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
        while (after) {
          const asked = { Bucket: bucket.name, Prefix: "uploads/", ...after };
          const page: ListMultipartUploadsCommandOutput = await client.send(
            new aws.ListMultipartUploadsCommand(asked),
            { abortSignal },
          );
          for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
            if (!Initiated || Initiated >= moment) continue;
            const upload = { Bucket: bucket.name, Key, UploadId };
            await client.send(new aws.AbortMultipartUploadCommand(upload), { abortSignal });
            dropped += 1;
          }
          const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
          after = page.IsTruncated ? { KeyMarker, UploadIdMarker } : undefined;
        }
        return dropped;
      }),
  };
}
