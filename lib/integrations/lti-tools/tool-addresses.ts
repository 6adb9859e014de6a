/** The addresses of this service as an LTI platform. `service` is its public address, and the issuer. */
export const ltiPlatformEndpoints = (service: string) => ({
  issuer: service,
  authorize: `${service}/lti/tools/authorize`,
  token: `${service}/lti/tools/token`,
  registration: `${service}/lti/tools/register`,
  links: `${service}/lti/tools/links`,
  configuration: `${service}/lti/tools/openid-configuration`,
  jwks: `${service}/lti/jwks`,
});

export const lineItemsUrl = (service: string, offeringId: number): string =>
  `${service}/lti/tools/offerings/${offeringId}/line-items`;

export const lineItemUrl = (service: string, offeringId: number, itemId: number): string =>
  `${lineItemsUrl(service, offeringId)}/${itemId}`;

export const membershipsUrl = (service: string, offeringId: number): string =>
  `${service}/lti/tools/offerings/${offeringId}/memberships`;

/** The link from an offering's navigation. */
export const navigationItemId = 0;

/** An item's id in one offering: each offering has its own results. Without an item, the navigation's. */
export const resourceLinkId = (offeringId: number, itemId = navigationItemId): string =>
  `${offeringId}-${itemId}`;

/** No item has it. */
export const nonexistentItemId = -1;

/** Undefined for an id of another offering. */
export function itemIdOfResourceLink(offeringId: number, id: string): number | undefined {
  const [, offering, item] = /^(\d{1,10})-(\d{1,10})$/.exec(id) ?? [];
  return Number(offering) === offeringId ? Number(item) : undefined;
}
