import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { sendLtiLinks, showLtiLinks } from "./deep-linking.ts";
import { getLtiKeySet } from "./keys.ts";
import {
  beginLtiLogin,
  beginLtiLoginByForm,
  finishLtiLaunch,
  makeLtiAccount,
  openLtiWindow,
} from "./launch.ts";
import { getLtiConfiguration, registerLtiPlatform, showLtiRegistration } from "./registration.ts";

/** LTI endpoints. The tag keeps them out of the API document. */
export const lti = createEndpointGroup(
  "Documentation",
  "/lti",
  [
    getLtiKeySet,
    beginLtiLogin,
    beginLtiLoginByForm,
    finishLtiLaunch,
    makeLtiAccount,
    openLtiWindow,
    showLtiLinks,
    sendLtiLinks,
    getLtiConfiguration,
    showLtiRegistration,
    registerLtiPlatform,
  ],
  true,
);
