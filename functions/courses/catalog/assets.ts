import { assetCrudFor } from "../../../lib/courses/catalog/assets.ts";
import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicApiUrl } from "../../../lib/http/public-url.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { Asset, AssetCreate, AssetQuery, AssetUpdate } from "../../../schema/api/courses/assets.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const readers = permittedTo("shared-read", "asset:read");
const writers = permittedTo("asset:write", "shared-write");
const params = pathIds("asset_id");

export const listAssets = endpoint(
  {
    id: "listAssets",
    method: "get",
    path: "/assets/",
    changesSeldom: true,
    summary: "List assets",
    ...readers,
    query: AssetQuery,
    ...ok(listOf(Asset), "Assets of the caller's universities and shared ones, by id"),
  },
  ({ deps, actor, query, http }) => assetCrudFor(actor, publicApiUrl(http, deps.config)).list(deps.db, query),
);

export const createAsset = endpoint(
  {
    id: "createAsset",
    method: "post",
    path: "/assets/",
    summary: "Create an asset",
    ...writers,
    body: AssetCreate,
    ...created(Asset, "The new asset"),
    fails: [400, 403],
  },
  ({ deps, actor, body, http }) => assetCrudFor(actor, publicApiUrl(http, deps.config)).create(deps.db, body),
);

export const getAsset = endpoint(
  {
    id: "getAsset",
    method: "get",
    path: "/assets/{asset_id}",
    changesSeldom: true,
    summary: "Read an asset",
    ...readers,
    params,
    ...ok(Asset, "The asset"),
    fails: [404],
  },
  ({ deps, actor, params, http }) =>
    assetCrudFor(actor, publicApiUrl(http, deps.config)).get(deps.db, params.asset_id),
);

export const updateAsset = endpoint(
  {
    id: "updateAsset",
    method: "put",
    path: "/assets/{asset_id}",
    summary: "Update an asset",
    ...writers,
    params,
    body: AssetUpdate,
    ...ok(Asset, "The updated asset"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body, http }) =>
    assetCrudFor(actor, publicApiUrl(http, deps.config)).update(deps.db, params.asset_id, body),
);

export const deleteAsset = endpoint(
  {
    id: "deleteAsset",
    method: "delete",
    path: "/assets/{asset_id}",
    summary: "Delete an asset",
    ...writers,
    params,
    ...noContent("Deleted"),
    fails: [403, 404],
  },
  ({ deps, actor, params, http }) =>
    assetCrudFor(actor, publicApiUrl(http, deps.config)).remove(deps.db, params.asset_id),
);
