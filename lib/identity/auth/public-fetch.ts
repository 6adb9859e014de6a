import { lookup } from "node:dns";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Private, loopback and reserved networks, including IPv4 mapped into IPv6. */
const inward = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  inward.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  inward.addSubnet(network, prefix, "ipv6");

export const isPublicIpAddress = (address: string): boolean => {
  const family = isIP(address);
  return family !== 0 && !inward.check(address, family === 4 ? "ipv4" : "ipv6");
};

class InwardAddress extends Error {
  override name = "InwardAddress";
}

/** Resolves the name for this connection: a later DNS answer cannot redirect it (DNS rebinding). */
const publicLookup: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, []);
    if (found.length === 0 || !found.every(({ address }) => isPublicIpAddress(address)))
      return callback(new InwardAddress("is in a private network"), []);
    const [first] = found;
    return options.all ? callback(null, found) : callback(null, first?.address ?? "", first?.family);
  });
};

const maxPublicFetchBytes = 1024 * 1024;

type Options = {
  method?: string | undefined;
  headers?: Record<string, string> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
};

/**
 * Fetches a user-supplied URL: HTTPS, public addresses only, no redirects, at most 1 MB. Rejects with
 * `InwardAddress` for other targets.
 */
export async function publicFetch(address: string, { method = "GET", headers = {}, body, signal }: Options) {
  const url = new URL(address);
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (url.protocol !== "https:" || (isIP(literal) && !isPublicIpAddress(literal)))
    throw new InwardAddress("is not a public https address");
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, headers, lookup: publicLookup, ...(signal && { signal }) }, resolve);
    sent.on("error", reject);
    sent.end(body === undefined || body === null ? undefined : String(body));
  });
  const text = await textOf(answer);
  const status = answer.statusCode ?? 502;
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : text, { status, headers: headersOf(answer) });
}

async function textOf(answer: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer) {
    bytes += (piece as Buffer).length;
    if (bytes > maxPublicFetchBytes) throw new Error("the response is too large");
    pieces.push(piece as Buffer);
  }
  return new Uint8Array(Buffer.concat(pieces));
}

const headersOf = ({ headers }: IncomingMessage): Headers =>
  new Headers(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[name, Array.isArray(value) ? value.join(", ") : value] as [string, string]],
    ),
  );
