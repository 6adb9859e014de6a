import { type ScimQuery, scimPage } from "../../../schema/api/integrations/scim.ts";

/** The first result is 1. */
export type ScimWindow = { startIndex: number; count: number };

/** An index below 1 means 1, a negative count 0 (RFC 7644, 3.4.2.4). */
export const toScimWindow = ({ startIndex = 1, count = scimPage.usual }: ScimQuery): ScimWindow => ({
  startIndex: Math.max(1, startIndex),
  count: Math.min(Math.max(0, count), scimPage.most),
});

/** From a comma-separated list. */
export function projectAttributes<Resource extends Record<string, unknown>>(
  resource: Resource,
  { attributes, excludedAttributes }: ScimQuery,
): Record<string, unknown> {
  if (attributes === undefined && excludedAttributes === undefined) return resource;
  const wanted = attributes === undefined ? undefined : namesIn(attributes);
  const left = namesIn(excludedAttributes ?? "");
  const isAnswered = (name: string) =>
    always.has(name) || (wanted ? wanted.has(name.toLowerCase()) : !left.has(name.toLowerCase()));
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isAnswered(name)));
}

/** For attributes that are expensive to read. */
export const isAttributeRequested = (name: string, { attributes, excludedAttributes }: ScimQuery): boolean =>
  attributes === undefined ? !namesIn(excludedAttributes ?? "").has(name) : namesIn(attributes).has(name);

const always = new Set(["id", "schemas"]);

/** A nested or schema-prefixed name counts as its attribute. */
const namesIn = (list: string): Set<string> =>
  new Set(
    list.split(",").map((name) => {
      const path = name.trim().toLowerCase();
      const core = /^urn:.*:(?:user|group):([^:]+)$/.exec(path);
      if (path.startsWith("urn:") && !path.includes(":core:")) return path.replace(/(:user):[^:]+$/, "$1");
      return (core?.[1] ?? path).split(".")[0] ?? "";
    }),
  );
