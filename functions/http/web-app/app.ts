import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import {
  getAppAsset,
  getAppManifest,
  getAppPage,
  getClientPackage,
  getEmbeddedAppPage,
  leadToApp,
} from "./page.ts";

/** Pages that are not part of the API. The tag keeps them out of the API document. */
export const webApp = createEndpointGroup(
  "Documentation",
  "",
  [leadToApp, getAppPage, getEmbeddedAppPage, getAppManifest, getAppAsset, getClientPackage],
  true,
);
