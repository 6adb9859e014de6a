import { and, asc, eq, getTableColumns, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Asset, AssetCreate, AssetQuery, AssetUpdate } from "../../schema/api/assets.ts";
import { assets } from "../../schema/db/assets.ts";
import type { Actor } from "../auth/actor.ts";
import type { Db } from "../db/client.ts";
import { partialUpdate } from "../db/partial-update.ts";
import { forbidden, notFound } from "../errors.ts";
import { can, ensure } from "../rbac/policy.ts";
import { mayAt } from "../rbac/scopes.ts";

const columns = getTableColumns(assets);

/** The assets of the universities where the caller is staff, and the shared ones, by id. */
export function listAssets(
  db: Db,
  actor: Actor,
  { university_id, skip, limit }: AssetQuery,
): Promise<Asset[]> {
  const isWanted = university_id
    ? and(eq(assets.university_id, university_id), mayAt(actor, "asset:read", sql`${university_id}::int`))
    : allowing(actor, "read");
  return db.select(columns).from(assets).where(isWanted).orderBy(asc(assets.id)).offset(skip).limit(limit);
}

/** An asset; 404 when there is none that the caller may see. */
export async function getAsset(db: Db, actor: Actor, assetId: number): Promise<Asset> {
  const [asset] = await db
    .select(columns)
    .from(assets)
    .where(and(eq(assets.id, assetId), allowing(actor, "read")));
  if (!asset) throw notFound("Asset");
  return asset;
}

/** Creates an asset, shared when it names no university; 403 without the right there. */
export async function createAsset(db: Db, actor: Actor, input: AssetCreate): Promise<Asset> {
  const university_id = input.university_id ?? null;
  ensure(actor, university_id ? "asset:write" : "shared-asset:write", { university_id });
  const [asset] = await db.insert(assets).values(input).returning(columns);
  if (!asset) throw notFound("Asset");
  return asset;
}

/** Changes an asset; absent fields keep their values. Its university never changes. */
export async function updateAsset(
  db: Db,
  actor: Actor,
  assetId: number,
  change: AssetUpdate,
): Promise<Asset> {
  const [asset] = await db
    .update(assets)
    .set(partialUpdate(change, assets))
    .where(and(eq(assets.id, assetId), allowing(actor, "write")))
    .returning(columns);
  return asset ?? refuse(db, actor, assetId);
}

/** Deletes an asset; content that links to it is left as it is. */
export async function deleteAsset(db: Db, actor: Actor, assetId: number): Promise<void> {
  const deleted = await db
    .delete(assets)
    .where(and(eq(assets.id, assetId), allowing(actor, "write")))
    .returning({ id: assets.id });
  if (deleted.length === 0) await refuse(db, actor, assetId);
}

/** Those of a university where the role is held there, shared ones where it is held anywhere. */
function allowing(actor: Actor, what: "read" | "write"): SQL | undefined {
  const shared = can(actor.roles, `shared-asset:${what}`) ? isNull(assets.university_id) : sql`false`;
  return or(shared, mayAt(actor, `asset:${what}`, assets.university_id));
}

/** Why an asset was not there to be written: 404 when the caller cannot see it, else 403. */
async function refuse(db: Db, actor: Actor, assetId: number): Promise<never> {
  await getAsset(db, actor, assetId);
  throw forbidden();
}
