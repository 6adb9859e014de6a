import { createHash, createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

type Request = { method: string; url: URL; headers: IncomingHttpHeaders };

export type Keys = { accessKeyId: string; secretAccessKey: string };

/** Why a request's signature (AWS Signature Version 4, in query or header) is invalid. Undefined if valid. */
export function faultOfSignature(request: Request, keys: Keys, now = new Date()): string | undefined {
  const signed = fromQuery(request.url) ?? fromHeader(request.headers);
  if (!signed) return "AccessDenied";
  const [keyId = "", day = "", region = "", service = ""] = signed.credential.split("/");
  if (keyId !== keys.accessKeyId) return "InvalidAccessKeyId";
  if (now.getTime() > dateOf(signed.date).getTime() + signed.expires * 1000) return "AccessDenied";
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", signed.date, scope, sha256(canonical(request, signed))].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${keys.secretAccessKey}`,
  );
  const expected = createHmac("sha256", key).update(toSign).digest("hex");
  return expected === signed.signature ? undefined : "SignatureDoesNotMatch";
}

type Signed = {
  credential: string;
  date: string;
  expires: number;
  headers: string[];
  signature: string;
  payload: string;
};

function fromQuery({ searchParams }: URL): Signed | undefined {
  const get = (name: string) => searchParams.get(`X-Amz-${name}`) ?? "";
  if (!get("Signature")) return undefined;
  return {
    credential: get("Credential"),
    date: get("Date"),
    expires: Number(get("Expires")),
    headers: get("SignedHeaders").split(";"),
    signature: get("Signature"),
    payload: "UNSIGNED-PAYLOAD",
  };
}

function fromHeader(headers: IncomingHttpHeaders): Signed | undefined {
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, credential, names, signature] = pattern.exec(headers.authorization ?? "") ?? [];
  if (!credential || !names || !signature) return undefined;
  return {
    ...{ credential, signature, headers: names.split(";"), expires: 900 },
    date: String(headers["x-amz-date"]),
    payload: String(headers["x-amz-content-sha256"]),
  };
}

function canonical({ method, url, headers }: Request, { headers: names, payload }: Signed): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
  const lines = names.map((name) => `${name}:${String(headers[name] ?? "").trim()}\n`).join("");
  return [method, url.pathname, query, lines, names.join(";"), payload].join("\n");
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const dateOf = (text: string): Date =>
  new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
