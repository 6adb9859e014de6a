import { group } from "../../lib/http/endpoint.ts";
import { getDashboardAsset, getDashboardPage } from "./page.ts";

/** A page and no part of the API: its tag keeps it out of the API document. */
export const dashboard = group(
  "Documentation",
  "/admin/dashboard",
  [getDashboardPage, getDashboardAsset],
  true,
);
