/** AGS and NRPS. */
export const scoreScope = "https://purl.imsglobal.org/spec/lti-ags/scope/score";
export const rosterScope = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly";
export const lineItemsScope = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem";
export const readLineItemsScope = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem.readonly";
export const readResultsScope = "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly";

/** Scopes that this service requests from an LMS. */
export const scopesRequestedFromPlatforms = [scoreScope, rosterScope] as const;

/** Scopes that this service grants to tools. */
export const scopesGrantedToTools = [
  scoreScope,
  rosterScope,
  lineItemsScope,
  readLineItemsScope,
  readResultsScope,
] as const;
export type ToolScope = (typeof scopesGrantedToTools)[number];
