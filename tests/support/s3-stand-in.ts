import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createPatientServer } from "./patient-server.ts";
import { faultOfSignature } from "./s3-signatures.ts";

type Stored = { bytes: Buffer; etag: string; type: string; at: Date };
type Upload = { key: string; type: string; parts: Map<number, Buffer>; at: Date };

type Reply = { status: number; body?: string | Buffer; headers?: Record<string, string> };

type Asked = { method: string; url: URL; key: string; headers: IncomingMessage["headers"]; body: Buffer };

/** Kinds of outages. */
export type Trouble = "away" | "slow" | "full" | undefined;

export const standInBucket = "files";
export const standInKeys = { accessKeyId: "key-of-the-tests", secretAccessKey: "secret-of-the-tests" };

/** Small, to force reading of further pages. */
const onPage = 2;

/**
 * An in-memory bucket with the part of S3 that the file store uses. Checks signatures, lengths, types and
 * expiry. `npm run interop files` runs the same tests on external stores.
 */
export async function startS3StandIn() {
  const objects = new Map<string, Stored>();
  const uploads = new Map<string, Upload>();
  let trouble: Trouble;
  let hasCors = true;
  const answer = answers(objects, uploads);

  const server = createPatientServer(async (incoming, outgoing) => {
    if (trouble === "away") return void incoming.socket.destroy();
    if (trouble === "slow") return;
    const url = new URL(incoming.url ?? "/", "http://stand-in");
    const { method = "", headers } = incoming;
    if (method === "OPTIONS")
      return reply(outgoing, method, hasCors ? allowAll : refuse(403, "AccessForbidden"));
    const fault = faultOfSignature({ method, url, headers }, standInKeys);
    const body = await buffer(incoming);
    const key = decodeURIComponent(url.pathname.slice(`/${standInBucket}/`.length));
    const asked = { method, url, key, headers, body };
    reply(
      outgoing,
      method,
      fault ? refuse(403, fault) : trouble ? refuse(507, "InsufficientStorage") : answer(asked),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    setting: `s3://${standInBucket}?region=eu-west-2&endpoint=http://127.0.0.1:${port}&path_style=true`,
    objects,
    uploads,
    setTrouble(next: Trouble) {
      trouble = next;
    },
    setCors(next: boolean) {
      hasCors = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reply(outgoing: ServerResponse, method: string, { status, body = "", headers = {} }: Reply): void {
  const length = headers["Content-Length"] ?? String(Buffer.byteLength(body));
  outgoing
    .writeHead(status, { ...headers, "Content-Length": length })
    .end(method === "HEAD" ? undefined : body);
}

const xml = (name: string, inner: string): Reply => ({
  status: 200,
  headers: { "Content-Type": "application/xml" },
  body: `<?xml version="1.0" encoding="UTF-8"?><${name}>${inner}</${name}>`,
});

const refuse = (status: number, code: string): Reply => ({
  ...xml("Error", `<Code>${code}</Code><Message>${code}</Message>`),
  status,
});

const allowAll: Reply = { status: 200, headers: { "Access-Control-Allow-Origin": "*" } };

const etagOf = (bytes: Buffer): string => `"${createHash("md5").update(bytes).digest("hex")}"`;

const rangeOf = (text: string | undefined, bytes: Buffer): [number, number] | undefined => {
  const [, start, end] = /^bytes=(\d+)-(\d*)$/.exec(text ?? "") ?? [];
  if (start === undefined) return undefined;
  return [Number(start), end ? Math.min(Number(end) + 1, bytes.length) : bytes.length];
};

function answers(objects: Map<string, Stored>, uploads: Map<string, Upload>) {
  const copied = ({ headers }: Asked): Buffer | Reply => {
    const source = objects.get(
      decodeURIComponent(String(headers["x-amz-copy-source"])).slice(`${standInBucket}/`.length),
    );
    if (!source) return refuse(404, "NoSuchKey");
    const expected = headers["x-amz-copy-source-if-match"];
    if (expected && expected !== source.etag) return refuse(412, "PreconditionFailed");
    const [start, end] = rangeOf(headers["x-amz-copy-source-range"]?.toString(), source.bytes) ?? [0];
    return source.bytes.subarray(start, end);
  };

  const putPart = (asked: Asked, upload: Upload): Reply => {
    const number = Number(asked.url.searchParams.get("partNumber"));
    const isCopy = "x-amz-copy-source" in asked.headers;
    const bytes = isCopy ? copied(asked) : asked.body;
    if (!Buffer.isBuffer(bytes)) return bytes;
    upload.parts.set(number, bytes);
    if (isCopy) return xml("CopyPartResult", `<ETag>${etagOf(bytes)}</ETag>`);
    return { status: 200, headers: { ETag: etagOf(bytes) } };
  };

  const listParts = ({ url }: Asked, { parts }: Upload): Reply => {
    const after = Number(url.searchParams.get("part-number-marker") ?? 0);
    const left = [...parts].filter(([number]) => number > after).sort(([a], [b]) => a - b);
    const page = left.slice(0, onPage);
    const listed = page.map(
      ([number, bytes]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${etagOf(bytes)}</ETag><Size>${bytes.length}</Size></Part>`,
    );
    const isMore = left.length > page.length;
    const marker = `<IsTruncated>${isMore}</IsTruncated><NextPartNumberMarker>${page.at(-1)?.[0] ?? 0}</NextPartNumberMarker>`;
    return xml("ListPartsResult", listed.join("") + marker);
  };

  const join = ({ body }: Asked, id: string, upload: Upload): Reply => {
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number));
    const parts = numbers.map((number) => upload.parts.get(number));
    if (parts.some((part) => part === undefined)) return refuse(400, "InvalidPart");
    if (parts.slice(0, -1).some((part) => (part?.length ?? 0) < 5 * 1024 * 1024))
      return refuse(400, "EntityTooSmall");
    const bytes = Buffer.concat(parts as Buffer[]);
    const etag = `"joined-${id}"`;
    objects.set(upload.key, { bytes, etag, type: upload.type, at: new Date() });
    uploads.delete(id);
    return xml("CompleteMultipartUploadResult", `<ETag>${etag}</ETag>`);
  };

  const ofUpload = (asked: Asked, id: string): Reply => {
    const upload = uploads.get(id);
    if (upload?.key !== asked.key) return refuse(404, "NoSuchUpload");
    if (asked.method === "PUT") return putPart(asked, upload);
    if (asked.method === "GET") return listParts(asked, upload);
    if (asked.method === "POST") return join(asked, id, upload);
    uploads.delete(id);
    return { status: 204 };
  };

  const listObjects = ({ url }: Asked): Reply => {
    const prefix = url.searchParams.get("prefix") ?? "";
    const after = url.searchParams.get("continuation-token") ?? "";
    const left = [...objects].filter(([key]) => key.startsWith(prefix) && key > after).sort();
    const page = left.slice(0, onPage);
    const listed = page.map(
      ([key, { bytes, at }]) =>
        `<Contents><Key>${key}</Key><Size>${bytes.length}</Size><LastModified>${at.toISOString()}</LastModified></Contents>`,
    );
    const isMore = left.length > page.length;
    const token = isMore ? `<NextContinuationToken>${page.at(-1)?.[0]}</NextContinuationToken>` : "";
    return xml("ListBucketResult", `${listed.join("")}<IsTruncated>${isMore}</IsTruncated>${token}`);
  };

  const listUploads = (): Reply => {
    const listed = [...uploads].map(
      ([id, { key, at }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at.toISOString()}</Initiated></Upload>`,
    );
    return xml("ListMultipartUploadsResult", `${listed.join("")}<IsTruncated>false</IsTruncated>`);
  };

  const put = (asked: Asked): Reply => {
    const { key, headers, body } = asked;
    const isCopy = "x-amz-copy-source" in headers;
    const bytes = isCopy ? copied(asked) : body;
    if (!Buffer.isBuffer(bytes)) return bytes;
    const etag = etagOf(bytes);
    objects.set(key, { bytes, etag, type: headers["content-type"] ?? "", at: new Date() });
    if (isCopy) return xml("CopyObjectResult", `<ETag>${etag}</ETag>`);
    return { status: 200, headers: { ETag: etag } };
  };

  const get = ({ url, key, headers, method }: Asked): Reply => {
    const found = objects.get(key);
    if (!found) return refuse(404, "NoSuchKey");
    const range = rangeOf(headers.range, found.bytes);
    if (range && range[0] >= found.bytes.length) return refuse(416, "InvalidRange");
    const body = found.bytes.subarray(...(range ?? []));
    const disposition = url.searchParams.get("response-content-disposition");
    return {
      status: range ? 206 : 200,
      body: method === "HEAD" ? "" : body,
      headers: {
        "Content-Type": url.searchParams.get("response-content-type") ?? found.type,
        "Content-Length": String(body.length),
        ETag: found.etag,
        ...(disposition && { "Content-Disposition": disposition }),
        ...(range && { "Content-Range": `bytes ${range[0]}-${range[1] - 1}/${found.bytes.length}` }),
      },
    };
  };

  return (asked: Asked): Reply => {
    const { method, url, key, headers } = asked;
    const id = url.searchParams.get("uploadId");
    if (id) return ofUpload(asked, id);
    if (method === "POST" && url.searchParams.has("uploads")) {
      const upload = { key, type: headers["content-type"] ?? "", parts: new Map(), at: new Date() };
      const id = randomUUID();
      uploads.set(id, upload);
      return xml("InitiateMultipartUploadResult", `<UploadId>${id}</UploadId>`);
    }
    if (url.searchParams.has("uploads")) return listUploads();
    if (key === "") return listObjects(asked);
    if (method === "PUT") return put(asked);
    if (method === "DELETE") return objects.delete(key) ? { status: 204 } : { status: 204 };
    return get(asked);
  };
}
