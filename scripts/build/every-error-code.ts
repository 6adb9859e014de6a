import { errorWords, notFoundCode, resourceNames } from "../../lib/error-codes.ts";
import { samlRefusals } from "../../lib/identity/saml/refusals.ts";
import { launchRefusals } from "../../lib/integrations/lti/refusals.ts";
import { scimCodes } from "../../lib/integrations/scim/protocol.ts";

/**
 * All values of `X-Error-Code` with their messages, in alphabetical order, for the API document and
 * translations.
 */
export const everyErrorCode: readonly { code: string; words: string }[] = [
  ...Object.entries(errorWords),
  ...resourceNames.map((resource) => [notFoundCode(resource), `${resource} not found`] as const),
  ...launchRefusals,
  ...samlRefusals,
  ...scimCodes,
]
  .map(([code, words]) => ({ code, words }))
  .sort((one, other) => (one.code < other.code ? -1 : 1));
