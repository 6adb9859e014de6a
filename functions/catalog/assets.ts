import { may } from "../../lib/auth/guards.ts";
import { createAsset, deleteAsset, getAsset, listAssets, updateAsset } from "../../lib/catalog/assets.ts";
import { created, endpoint, noContent, ok } from "../../lib/http/endpoint.ts";
import { Asset, AssetCreate, AssetQuery, AssetUpdate } from "../../schema/api/assets.ts";
import { listOf, pathIds } from "../../schema/api/fields.ts";

const readers = may("shared-asset:read", "asset:read");
const writers = may("shared-asset:write", "asset:write");
const params = pathIds("asset_id");

export const list = endpoint(
  {
    method: "get",
    path: "/assets/",
    summary: "List the assets of one's universities, and the shared ones",
    ...readers,
    query: AssetQuery,
    ...ok(listOf(Asset), "Assets by id"),
  },
  ({ deps, actor, query }) => listAssets(deps.db, actor, query),
);

export const create = endpoint(
  {
    method: "post",
    path: "/assets/",
    summary: "Create an asset",
    ...writers,
    body: AssetCreate,
    ...created(Asset, "The new asset"),
    fails: [400, 403],
  },
  ({ deps, actor, body }) => createAsset(deps.db, actor, body),
);

export const read = endpoint(
  {
    method: "get",
    path: "/assets/{asset_id}",
    summary: "Read an asset",
    ...readers,
    params,
    ...ok(Asset, "The asset"),
    fails: [404],
  },
  ({ deps, actor, params }) => getAsset(deps.db, actor, params.asset_id),
);

export const update = endpoint(
  {
    method: "put",
    path: "/assets/{asset_id}",
    summary: "Change an asset",
    ...writers,
    params,
    body: AssetUpdate,
    ...ok(Asset, "The changed asset"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) => updateAsset(deps.db, actor, params.asset_id, body),
);

export const remove = endpoint(
  {
    method: "delete",
    path: "/assets/{asset_id}",
    summary: "Delete an asset",
    ...writers,
    params,
    ...noContent("Deleted"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => deleteAsset(deps.db, actor, params.asset_id),
);
