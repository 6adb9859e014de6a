import { assets } from "../../schema/db/assets.ts";
import { ownedCrudOf } from "./owned.ts";

/** Never in use: content that links to an asset is left as it is. */
export const assetsFor = ownedCrudOf(assets, "Asset", "asset", {
  searched: assets.search_text,
  sorts: { id: [] },
});
