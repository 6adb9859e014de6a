/** `npm run interop <part>`: tests the service with third-party programs. */
import { runPart } from "./command-line.ts";

const usage = `npm run interop <files|imports|lti|lti-tools|scorm|sso|scim|one-roster|xapi|aws|clients> -- [flags]

Checks the service with third-party programs. A program that cannot be installed here is named and skipped.

files      the file store against versitygw, an S3 store
imports    files of questions by text2qti, gift-wrapper and qti-convert
lti        the LMS side of LTI 1.3: lti1p3platform
lti-tools  tools of PyLTI1p3 and ltijs, opened in Chromium
scorm      packages of simple-scorm-packager and scocli, played in Chromium
sso        a sign-in by SAML with Keycloak
scim       scim2-tester and scim2-cli
one-roster rosters and grades, read by strongmind-oneroster-client
xapi       the event feed, read by ralph
aws        a deployment to moto, a stand-in for AWS
clients    generated clients in five languages, each with a learner's tasks

npm run interop <part> -- --help lists the flags of a part.`;

await runPart(usage, {
  files: () => import("./interop/files.ts"),
  imports: () => import("./interop/imports.ts"),
  lti: () => import("./interop/lti.ts"),
  "lti-tools": () => import("./interop/lti-tools.ts"),
  scorm: () => import("./interop/scorm.ts"),
  sso: () => import("./interop/sso.ts"),
  scim: () => import("./interop/scim.ts"),
  "one-roster": () => import("./interop/one-roster.ts"),
  xapi: () => import("./interop/xapi.ts"),
  aws: () => import("./interop/aws.ts"),
  clients: () => import("./interop/clients.ts"),
});
