import { group } from "../../lib/http/endpoint.ts";
import { getAppAsset, getAppManifest, getAppPage, getEmbeddedAppPage, leadToApp } from "./page.ts";

/** Pages and no part of the API: the tag keeps them out of the API document. */
export const webApp = group(
  "Documentation",
  "",
  [leadToApp, getAppPage, getEmbeddedAppPage, getAppManifest, getAppAsset],
  true,
);
