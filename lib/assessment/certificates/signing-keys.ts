import { hkdfSync } from "node:crypto";
import { eq } from "drizzle-orm";
import { importPKCS8, type JWTPayload, SignJWT } from "jose";
import type { SigningKeyQuery } from "../../../schema/api/assessment/certificates.ts";
import { signingKeys } from "../../../schema/db/platform/signing-keys.ts";
import type { Config } from "../../config.ts";
import { notFound } from "../../errors.ts";
import { fairLimits } from "../../platform/async/fair-limits.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { ascending, createPageQuery, descending } from "../../platform/db/query/page.ts";
import type { ListPage } from "../../platform/results/list-page.ts";
import { decrypt, encrypt } from "../../platform/secrets/encryption.ts";
import { createSigningKeyPair, signingAlgorithm } from "../../platform/secrets/signing-key-pair.ts";
import { type ApiBaseUrl, signingKeyUrl } from "./certificate-urls.ts";

const purpose = "credential signing";

type Secret = Pick<Config, "SECRET_KEY">;
type Stored = { id: string; private_key: string };

const opened = new WeakMap<Db, Promise<SigningKey>>();

type SigningKey = { id: string; key: Awaited<ReturnType<typeof importPKCS8>> };

/** Signs a JSON Web Token with the platform's key, created on first use. */
export async function signCredential(
  db: Db,
  config: Secret,
  addresses: ApiBaseUrl,
  claims: JWTPayload,
): Promise<string> {
  const { id, key } = await signingKey(db, config);
  const token = new SignJWT(claims).setProtectedHeader({
    ...{ alg: signingAlgorithm, typ: "JWT", kid: signingKeyUrl(addresses, id) },
  });
  return fairLimits.processor.run(() => token.sign(key));
}

/** All public keys ever used, newest first, named by their address. */
export async function listPublicKeys(
  db: ReadDb,
  addresses: ApiBaseUrl,
  query: SigningKeyQuery,
): Promise<ListPage<Record<string, unknown>>> {
  const page = createPageQuery(query, [descending(signingKeys.created_at), ascending(signingKeys.id)]);
  const rows = await db
    .select({ id: signingKeys.id, public_jwk: signingKeys.public_jwk, page_key: page.key })
    .from(signingKeys)
    .where(page.where())
    .orderBy(page.order)
    .offset(page.skip)
    .limit(page.limit);
  return page.part(rows).map(({ id, public_jwk }) => ({ ...public_jwk, kid: signingKeyUrl(addresses, id) }));
}

/** 404 for an unknown key. */
export async function getPublicKey(
  db: ReadDb,
  addresses: ApiBaseUrl,
  keyId: string,
): Promise<Record<string, unknown>> {
  const [row] = await db
    .select({ public_jwk: signingKeys.public_jwk })
    .from(signingKeys)
    .where(eq(signingKeys.id, keyId));
  if (!row) throw notFound("Signing key");
  return { ...row.public_jwk, kid: signingKeyUrl(addresses, keyId) };
}

function signingKey(db: Db, config: Secret): Promise<SigningKey> {
  const known = opened.get(db);
  if (known) return known;
  const opening = findOrCreate(db, config).then(async ({ id, private_key }) => ({
    id,
    key: await importPKCS8(decrypt(private_key, config.SECRET_KEY, purpose), signingAlgorithm),
  }));
  opened.set(db, opening);
  opening.catch(() => opened.delete(db));
  return opening;
}

async function findOrCreate(db: Db, config: Secret): Promise<Stored> {
  const mark = markOf(config);
  return (await findKey(db, mark)) ?? createKey(db, config, mark);
}

async function findKey(db: ReadDb, mark: string): Promise<Stored | undefined> {
  const [row] = await db
    .select({ id: signingKeys.id, private_key: signingKeys.private_key })
    .from(signingKeys)
    .where(eq(signingKeys.secret_mark, mark));
  return row;
}

/** If two processes create the first key concurrently, both use the stored one. */
async function createKey(db: Db, { SECRET_KEY }: Secret, secret_mark: string): Promise<Stored> {
  const { id, public_jwk, pem } = await createSigningKeyPair();
  await db
    .insert(signingKeys)
    .values({ id, secret_mark, public_jwk, private_key: encrypt(pem, SECRET_KEY, purpose) })
    .onConflictDoNothing({ target: signingKeys.secret_mark });
  const stored = await findKey(db, secret_mark);
  if (!stored) throw new Error("a signing key was not stored");
  return stored;
}

/** Identifies a SECRET_KEY without revealing it. */
const markOf = ({ SECRET_KEY }: Secret): string =>
  Buffer.from(hkdfSync("sha256", SECRET_KEY, "", "credential signing key's mark", 16)).toString("hex");
