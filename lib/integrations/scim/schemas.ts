import { EnterpriseUser, Group, User } from "scimmy/schemas";
import type { Attribute } from "scimmy/types";

/* Our subset of RFC 7643, without passwords and certificates. A User's groups are read-only. */

User.definition.extend(EnterpriseUser.definition, false);
User.definition.truncate("password", "x509Certificates");

// RFC 7643 suggests no types for roles and entitlements. scimmy takes an empty list as "none allowed", but
// Entra sends some.
for (const list of ["roles", "entitlements"]) {
  const { subAttributes = [] } = User.definition.attribute(list) as Attribute;
  for (const { name, config } of subAttributes) if (name === "type" && config) config.canonicalValues = false;
}

// Members are named by id alone.
Group.definition.truncate("members.display");

export { EnterpriseUser, Group, User };

export const scimUserSchemaUrn: string = User.definition.id;
export const scimEnterpriseUserSchemaUrn: string = EnterpriseUser.definition.id;
export const scimGroupSchemaUrn: string = Group.definition.id;
