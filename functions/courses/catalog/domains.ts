import { subjectDomainCrud } from "../../../lib/courses/catalog/reference-data.ts";
import { anyone, permittedTo } from "../../../lib/identity/auth/guards.ts";
import { Domain, DomainCreate, DomainQuery, DomainUpdate } from "../../../schema/api/courses/domains.ts";
import { createCrudEndpoints } from "./resource.ts";

export const { listDomains, createDomain, getDomain, updateDomain, deleteDomain } = createCrudEndpoints(
  { one: "Domain", many: "Domains" },
  {
    path: "/domains",
    id: "domain_id",
    readers: anyone,
    writers: permittedTo("reference-data:write"),
    shape: Domain,
    create: DomainCreate,
    update: DomainUpdate,
    query: DomainQuery,
    constraints: { written: ["already_taken"], deleted: ["still_in_use"] },
    crud: () => subjectDomainCrud,
  },
);
