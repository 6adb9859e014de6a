import type { Group } from "../lib/http/endpoint.ts";
import { admin } from "./admin/app.ts";
import { assessments } from "./assessments/app.ts";
import { auth } from "./auth/app.ts";
import { cartridges } from "./cartridges/app.ts";
import { catalog } from "./catalog/app.ts";
import { certificates } from "./certificates/app.ts";
import { chat } from "./chat/app.ts";
import { community } from "./community/app.ts";
import { content } from "./content/app.ts";
import { courses } from "./courses/app.ts";
import { docs } from "./docs/app.ts";
import { enrollments } from "./enrollments/app.ts";
import { featureRequests } from "./feature-requests/app.ts";
import { files } from "./files/app.ts";
import { lti } from "./lti/app.ts";
import { operations } from "./metrics/app.ts";
import { modules } from "./modules/app.ts";
import { offerings } from "./offerings/app.ts";
import { progress } from "./progress/app.ts";
import { prompts } from "./prompts/app.ts";
import { scim } from "./scim/app.ts";
import { study } from "./study/app.ts";
import { universities } from "./universities/app.ts";
import { users } from "./users/app.ts";
import { webApp } from "./web-app/app.ts";

/** All route groups, for the server, the API document and tests. Functions do not import this list. */
export const groups: readonly Group[] = [
  auth,
  users,
  universities,
  catalog,
  courses,
  offerings,
  enrollments,
  modules,
  content,
  cartridges,
  progress,
  assessments,
  certificates,
  chat,
  community,
  files,
  study,
  prompts,
  featureRequests,
  admin,
  lti,
  scim,
  webApp,
  docs,
  operations,
];
