import { EnterpriseUser, Group, User } from "scimmy/schemas";
import type { Attribute } from "scimmy/types";

/*
 * What the service takes of the schemas of RFC 7643: no passwords and no certificates. A User's groups are answered, and never
 * taken.
 */

User.definition.extend(EnterpriseUser.definition, false);
User.definition.truncate("password", "x509Certificates");

// RFC 7643 suggests no types of roles and entitlements. To scimmy an empty list says that there are none, while Entra sends some.
for (const list of ["roles", "entitlements"]) {
  const { subAttributes = [] } = User.definition.attribute(list) as Attribute;
  for (const { name, config } of subAttributes) if (name === "type" && config) config.canonicalValues = false;
}

// A member is named by the id alone.
Group.definition.truncate("members.display");

export { EnterpriseUser, Group, User };

export const userSchema: string = User.definition.id;
export const enterpriseSchema: string = EnterpriseUser.definition.id;
export const groupSchema: string = Group.definition.id;
