import { scimPage } from "../../../schema/api/integrations/scim.ts";
import {
  EnterpriseUser,
  Group,
  scimEnterpriseUserSchemaUrn,
  scimGroupSchemaUrn,
  scimUserSchemaUrn,
  User,
} from "./schemas.ts";

/* SCIM discovery (RFC 7643, 5 to 7). */

const core = "urn:ietf:params:scim:schemas:core:2.0";

export const serviceProviderConfig = (base: string) => ({
  schemas: [`${core}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: scimPage.most },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "API key",
      description: "A key of the university with the scope scim, as bearer token",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
});

export const resourceTypes = (base: string) => [
  {
    ...resourceType(base, "User", scimUserSchemaUrn),
    schemaExtensions: [{ schema: scimEnterpriseUserSchemaUrn, required: false }],
  },
  resourceType(base, "Group", scimGroupSchemaUrn),
];

const resourceType = (base: string, name: string, schema: string) => ({
  schemas: [`${core}:ResourceType`],
  id: name,
  name,
  endpoint: `/${name}s`,
  description: name === "User" ? "A person, as the directory has them" : "A group of the directory",
  schema,
  meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${name}` },
});

export const scimSchemas = (base: string) =>
  [User, Group, EnterpriseUser].map(({ definition }) => ({
    ...definition.describe(`${base}/Schemas`),
    schemas: [`${core}:Schema`],
  }));
