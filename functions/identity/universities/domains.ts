import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
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
    summary: "List email domains of a university",
    ...permittedTo("university-domain:read"),
    params: university,
    query: UniversityDomainQuery,
    ...ok(listOf(UniversityDomain), "Domains, in the order of granting"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => domains.listDomains(deps.db, actor, params.university_id, query),
);

export const addUniversityDomain = endpoint(
  {
    id: "addUniversityDomain",
    method: "post",
    path: all,
    summary: "Grant a domain to a university",
    description:
      "People with a verified address in the domain belong to the university and receive roles and seats " +
      "without an offer. The university's identity providers can vouch for such addresses. Grant a domain " +
      "only to the university that owns it.",
    ...permittedTo("university-domain:grant"),
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
    summary: "Withdraw a domain from a university",
    description: "Roles and seats granted to its people stay.",
    ...permittedTo("university-domain:grant"),
    params: pathIds("university_id", "university_domain_id"),
    ...noContent("Withdrawn"),
    fails: [404],
  },
  ({ deps, actor, params }) => domains.removeDomain(deps.db, actor, params),
);
