import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import * as domains from "../../../lib/identity/universities/domains.ts";
import {
  UniversityDomain,
  UniversityDomainCreate,
  UniversityDomainQuery,
} from "../../../schema/api/identity/university-domains.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/domains";
const university = pathIds("university_id");

export const listUniversityDomains = endpoint(
  {
    id: "listUniversityDomains",
    method: "get",
    path: all,
    summary: "List the domains of a university's own addresses",
    ...may("university-domain:read"),
    params: university,
    query: UniversityDomainQuery,
    ...ok(listOf(UniversityDomain), "The domains, in the order in which they were granted"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => domains.listDomains(deps.db, actor, params.university_id, query),
);

export const addUniversityDomain = endpoint(
  {
    id: "addUniversityDomain",
    method: "post",
    path: all,
    summary: "Grant a university a domain",
    description:
      "Whoever has verified an address in it is the university's own person, who is given roles and places at once, and " +
      "the university's identity providers vouch for such addresses. Grant a domain only to the university whose it is.",
    ...may("university-domain:grant"),
    params: university,
    body: UniversityDomainCreate,
    ...created(UniversityDomain, "The granted domain"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => domains.addDomain(deps.db, actor, params.university_id, body.domain),
);

export const removeUniversityDomain = endpoint(
  {
    id: "removeUniversityDomain",
    method: "delete",
    path: `${all}/{university_domain_id}`,
    summary: "Take a domain back from a university",
    description: "What its people were given stays.",
    ...may("university-domain:grant"),
    params: pathIds("university_id", "university_domain_id"),
    ...noContent("Taken back"),
    fails: [404],
  },
  ({ deps, actor, params }) => domains.removeDomain(deps.db, actor, params),
);
