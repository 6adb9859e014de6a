import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { and, between, isNotNull, or } from "drizzle-orm";
import type { JWTPayload } from "jose";
import { certificates } from "../../../schema/db/assessment/certificates.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { type ApiBaseUrl, statusListUrl } from "./certificate-urls.ts";

/** The standard's minimum length, for privacy. */
export const statusListBitCount = 131_072;

export const statusListPosition = (certificateId: number): { list: number; index: number } => ({
  list: Math.floor(certificateId / statusListBitCount) + 1,
  index: certificateId % statusListBitCount,
});

/** A credential's reference to its status (Bitstring Status List 1.0). */
export function credentialStatusEntry(addresses: ApiBaseUrl, certificateId: number) {
  const { list, index } = statusListPosition(certificateId);
  const statusListCredential = statusListUrl(addresses, list);
  return {
    id: `${statusListCredential}#${index}`,
    type: "BitstringStatusListEntry",
    statusPurpose: "revocation",
    statusListIndex: String(index),
    statusListCredential,
  };
}

/** Credential claims: one bit per certificate, 1 if revoked or replaced. */
export async function statusListCredentialClaims(
  db: ReadDb,
  addresses: ApiBaseUrl,
  list: number,
  now: Date,
): Promise<JWTPayload> {
  const id = statusListUrl(addresses, list);
  const seconds = Math.floor(now.getTime() / 1000);
  return {
    "@context": ["https://www.w3.org/ns/credentials/v2"],
    id,
    type: ["VerifiableCredential", "BitstringStatusListCredential"],
    issuer: addresses.api,
    validFrom: new Date(seconds * 1000).toISOString(),
    credentialSubject: {
      id: `${id}#list`,
      type: "BitstringStatusList",
      statusPurpose: "revocation",
      encodedList: await encodeStatusListBits(await withdrawnOf(db, list)),
    },
    iss: addresses.api,
    jti: id,
    nbf: seconds,
    iat: seconds,
  };
}

async function withdrawnOf(db: ReadDb, list: number): Promise<number[]> {
  const first = (list - 1) * statusListBitCount;
  const rows = await db
    .select({ id: certificates.id })
    .from(certificates)
    .where(
      and(
        between(certificates.id, first, first + statusListBitCount - 1),
        or(isNotNull(certificates.revoked_at), isNotNull(certificates.replaced_at)),
      ),
    );
  return rows.map(({ id }) => statusListPosition(id).index);
}

/** Bits in order, most significant first, compressed, in base64url with a `u` prefix. */
export async function encodeStatusListBits(positions: readonly number[]): Promise<string> {
  const bytes = Buffer.alloc(statusListBitCount / 8);
  for (const position of positions)
    bytes[position >> 3] = (bytes[position >> 3] ?? 0) | (0x80 >> (position & 7));
  return `u${(await promisify(gzip)(bytes)).toString("base64url")}`;
}
