import type { Contract, Group } from "./endpoint.ts";

type Mounted = Pick<Group, "mount" | "atRoot">;
type WithPath = Pick<Contract, "path">;

/** Where an operation is, as the API document writes it: `/api/v1/courses/{course_id}`, without a slash at its end. */
export function documentPath(prefix: string, group: Mounted, contract: WithPath): string {
  return `${group.atRoot ? "" : prefix}${group.mount}${contract.path}`.replace(/(.)\/$/, "$1");
}

/** The same path as the router takes it: `/api/v1/courses/:course_id`. */
export function routePath(prefix: string, group: Mounted, contract: WithPath): string {
  return documentPath(prefix, group, contract).replaceAll(/\{(\w+)\}/g, ":$1");
}
