/** AGS and NRPS. */
export const scoreScope = "https://purl.imsglobal.org/spec/lti-ags/scope/score";
export const rosterScope = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly";

export const serviceScopes = [scoreScope, rosterScope] as const;
