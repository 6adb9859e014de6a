import { group } from "../../lib/http/endpoint.ts";
import { assessments, cache, community, engagement, overview, progress } from "./analytics.ts";
import { remove, status, store, test } from "./cloud-credentials.ts";

export const admin = group("Administration", "/admin", [
  store,
  status,
  test,
  remove,
  overview,
  engagement,
  progress,
  assessments,
  cache,
  community,
]);
