import { errorMessageTemplates, notFoundCode, resourceNames } from "../../lib/error-codes.ts";
import { samlRefusalMessages } from "../../lib/identity/saml/refusals.ts";
import { ltiRefusalCodesWithMessages } from "../../lib/integrations/lti/refusals.ts";
import { oneRosterErrorCodeDescriptions } from "../../lib/integrations/one-roster/protocol.ts";
import { scimErrorCodeDescriptions } from "../../lib/integrations/scim/protocol.ts";

/**
 * All values of `X-Error-Code` with their messages, in alphabetical order, for the API document and
 * translations.
 */
export const everyErrorCode: readonly { code: string; words: string }[] = [
  ...Object.entries(errorMessageTemplates),
  ...resourceNames.map((resource) => [notFoundCode(resource), `${resource} not found`] as const),
  ...ltiRefusalCodesWithMessages,
  ...samlRefusalMessages,
  ...scimErrorCodeDescriptions,
  ...oneRosterErrorCodeDescriptions,
]
  .map(([code, words]) => ({ code, words }))
  .sort((one, other) => (one.code < other.code ? -1 : 1));
