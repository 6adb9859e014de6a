import type { EndpointGroup } from "../lib/http/endpoint.ts";
import { assessments } from "./assessment/assessments/app.ts";
import { certificates } from "./assessment/certificates/app.ts";
import { community } from "./community/community/app.ts";
import { study } from "./community/study/app.ts";
import { catalog } from "./courses/catalog/app.ts";
import { content } from "./courses/content/app.ts";
import { courses } from "./courses/courses/app.ts";
import { enrollments } from "./courses/enrollments/app.ts";
import { modules } from "./courses/modules/app.ts";
import { offerings } from "./courses/offerings/app.ts";
import { progress } from "./courses/progress/app.ts";
import { files } from "./files/files/app.ts";
import { docs } from "./http/docs/app.ts";
import { webApp } from "./http/web-app/app.ts";
import { auth } from "./identity/auth/app.ts";
import { saml } from "./identity/saml/app.ts";
import { universities } from "./identity/universities/app.ts";
import { users } from "./identity/users/app.ts";
import { cartridges } from "./integrations/cartridges/app.ts";
import { lti } from "./integrations/lti/app.ts";
import { oneRoster } from "./integrations/one-roster/app.ts";
import { scim } from "./integrations/scim/app.ts";
import { scorm } from "./integrations/scorm/app.ts";
import { admin } from "./operations/admin/app.ts";
import { featureRequests } from "./operations/feature-requests/app.ts";
import { operations } from "./platform/metrics/app.ts";
import { chat } from "./tutor/chat/app.ts";
import { prompts } from "./tutor/prompts/app.ts";

/** All route groups, for the server, the API document and tests. Functions do not import this list. */
export const allEndpointGroups: readonly EndpointGroup[] = [
  auth,
  saml,
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
  oneRoster,
  scim,
  scorm,
  webApp,
  docs,
  operations,
];
