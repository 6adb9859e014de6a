import type { Contract, EndpointGroup } from "./endpoint.ts";

type Mounted = Pick<EndpointGroup, "mount" | "atRoot">;
type WithPath = Pick<Contract, "path">;

/** As in the API document: `/api/v1/courses/{course_id}`, without a trailing slash. */
export function openApiPath(prefix: string, group: Mounted, contract: WithPath): string {
  return `${group.atRoot ? "" : prefix}${group.mount}${contract.path}`.replace(/(.)\/$/, "$1");
}

/** In the router's syntax: `/api/v1/courses/:course_id`. A file's path at the end may have slashes. */
export function routePath(prefix: string, group: Mounted, contract: WithPath): string {
  return openApiPath(prefix, group, contract)
    .replace(/\{file_path\}$/, ":file_path{.+}")
    .replaceAll(/\{(\w+)\}/g, ":$1");
}
