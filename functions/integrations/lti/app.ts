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
import { authorizeLtiTool, authorizeLtiToolByForm, startLtiToolLaunch } from "./tool-launch.ts";
import { createLtiToolLineItem, deleteLtiToolLineItem, updateLtiToolLineItem } from "./tool-line-items.ts";
import { receiveLtiToolLinks } from "./tool-links.ts";
import { getLtiToolPlatformConfiguration, registerLtiTool } from "./tool-registration.ts";
import {
  getLtiToolLineItem,
  grantLtiToolAccess,
  listLtiToolLineItems,
  listLtiToolMemberships,
  listLtiToolResults,
  storeLtiToolScore,
} from "./tool-services.ts";

/** LTI endpoints. The tag keeps them out of the API document. */
export const lti = createEndpointGroup(
  "Documentation",
  "/lti",
  [
    getLtiKeySet,
    startLtiToolLaunch,
    authorizeLtiTool,
    authorizeLtiToolByForm,
    receiveLtiToolLinks,
    getLtiToolPlatformConfiguration,
    registerLtiTool,
    grantLtiToolAccess,
    listLtiToolLineItems,
    getLtiToolLineItem,
    createLtiToolLineItem,
    updateLtiToolLineItem,
    deleteLtiToolLineItem,
    storeLtiToolScore,
    listLtiToolResults,
    listLtiToolMemberships,
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
