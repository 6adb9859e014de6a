import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { ticketCookieReader } from "../../../lib/identity/auth/cookies.ts";
import { permittedTo, signedInWithFullReach } from "../../../lib/identity/auth/guards.ts";
import { bindContext } from "../../../lib/integrations/lti/contexts.ts";
import * as deployments from "../../../lib/integrations/lti/deployments.ts";
import * as people from "../../../lib/integrations/lti/people.ts";
import * as platforms from "../../../lib/integrations/lti/platforms.ts";
import { listRefusedLaunchCounts } from "../../../lib/integrations/lti/refused-launches.ts";
import { createPlatformRegistrationKey } from "../../../lib/integrations/lti/registration.ts";
import {
  LtiContext,
  LtiContextCreate,
  LtiDeployment,
  LtiDeploymentCreate,
  LtiDeploymentQuery,
  LtiPerson,
  LtiPersonQuery,
  LtiPlatform,
  LtiPlatformCreate,
  LtiPlatformQuery,
  LtiPlatformUpdate,
  LtiRefusedLaunches,
  LtiRefusedLaunchQuery,
  LtiRegistration,
  LtiTicket,
} from "../../../schema/api/integrations/lti.ts";
import { listOf, pathIds } from "../../../schema/api/platform/fields.ts";

const all = "/{university_id}/lti-platforms";
const single = `${all}/{lti_platform_id}`;
const university = pathIds("university_id");
const params = pathIds("university_id", "lti_platform_id");

export const listLtiPlatforms = endpoint(
  {
    id: "listLtiPlatforms",
    method: "get",
    path: all,
    summary: "List LTI platforms of a university",
    ...permittedTo("lti-platform:manage"),
    params: university,
    query: LtiPlatformQuery,
    ...ok(listOf(LtiPlatform), "Platforms, in the order of registration"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => platforms.listPlatforms(deps.db, actor, params.university_id, query),
);

export const createLtiPlatform = endpoint(
  {
    id: "createLtiPlatform",
    method: "post",
    path: all,
    summary: "Register an LTI 1.3 platform",
    description:
      "Send the values that the LMS shows after registering the tool. The tool's addresses are " +
      "`/lti/{university_id}/login` (login initiation), `/lti/{university_id}/launch` (redirect URI and " +
      "target link) and `/lti/jwks` (public keys), outside the API prefix. Issuer and client cannot " +
      "change later: register another platform instead.",
    ...permittedTo("lti-platform:manage", "lti-platform:trust-email"),
    params: university,
    body: LtiPlatformCreate,
    ...created(LtiPlatform, "The registered platform"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body }) =>
    platforms.createPlatform(deps.db, deps.config, actor, params.university_id, body),
);

export const openLtiRegistration = endpoint(
  {
    id: "openLtiRegistration",
    method: "post",
    path: "/{university_id}/lti-registrations",
    summary: "Create an LTI registration link",
    description:
      "For Dynamic Registration: open the link in the LMS and confirm there. The link registers one LMS " +
      "within one hour, in the caller's name. It is returned only once.",
    ...permittedTo("lti-platform:manage"),
    params: university,
    ...created(LtiRegistration, "The link"),
    fails: [403, 404],
  },
  async ({ deps, actor, params: { university_id }, http }) => {
    const { key, expires_at } = await createPlatformRegistrationKey(deps, actor, university_id);
    const address = `${publicUrl(http, deps.config)}/lti/${university_id}/register`;
    return { registration_url: `${address}?key=${key}`, expires_at };
  },
);

export const updateLtiPlatform = endpoint(
  {
    id: "updateLtiPlatform",
    method: "put",
    path: single,
    summary: "Update an LTI platform",
    description:
      "If the login, token or key address changes, the platform's email addresses are no longer trusted. " +
      "A platform_admin must trust them again.",
    ...permittedTo("lti-platform:manage", "lti-platform:trust-email"),
    params,
    body: LtiPlatformUpdate,
    ...ok(LtiPlatform, "The updated platform"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) => platforms.updatePlatform(deps.db, deps.config, actor, params, body),
);

export const removeLtiPlatform = endpoint(
  {
    id: "removeLtiPlatform",
    method: "delete",
    path: single,
    summary: "Remove an LTI platform",
    ...permittedTo("lti-platform:manage"),
    params,
    ...noContent("Removed with its deployments; it can no longer launch"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => platforms.removePlatform(deps.db, actor, params),
);

export const listLtiDeployments = endpoint(
  {
    id: "listLtiDeployments",
    method: "get",
    path: `${single}/deployments`,
    summary: "List LTI deployments",
    description:
      "Admitted and pending deployments. A first launch adds a pending deployment, at most twenty.",
    ...permittedTo("lti-platform:manage"),
    params,
    query: LtiDeploymentQuery,
    ...ok(listOf(LtiDeployment), "Deployments, in the order of their first appearance"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => deployments.listDeployments(deps.db, actor, params, query),
);

export const admitLtiDeployment = endpoint(
  {
    id: "admitLtiDeployment",
    method: "post",
    path: `${single}/deployments`,
    summary: "Admit an LTI deployment",
    description: "Admits a pending deployment, or one that has not launched yet.",
    ...permittedTo("lti-platform:manage"),
    params,
    body: LtiDeploymentCreate,
    ...created(LtiDeployment, "The admitted deployment"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) => deployments.admitDeployment(deps.db, actor, params, body.deployment_id),
);

export const removeLtiDeployment = endpoint(
  {
    id: "removeLtiDeployment",
    method: "delete",
    path: `${single}/deployments/{lti_deployment_id}`,
    summary: "Remove an LTI deployment",
    ...permittedTo("lti-platform:manage"),
    params: pathIds("university_id", "lti_platform_id", "lti_deployment_id"),
    ...noContent("Removed; the next launch makes it pending again"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => deployments.removeDeployment(deps.db, actor, params),
);

export const listLtiPeople = endpoint(
  {
    id: "listLtiPeople",
    method: "get",
    path: `${single}/people`,
    summary: "List people of an LTI platform",
    description: "People from launches and rosters, with their linked accounts.",
    ...permittedTo("lti-platform:manage"),
    params,
    query: LtiPersonQuery,
    ...ok(listOf(LtiPerson), "People, last launched first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => people.listPeople(deps.db, actor, params, query),
);

export const unlinkLtiPerson = endpoint(
  {
    id: "unlinkLtiPerson",
    method: "delete",
    path: `${single}/people/{lti_person_id}`,
    summary: "Unlink an LTI person",
    description:
      "Withdraws the roles and seats that the LMS granted, and revokes all tokens of the account. " +
      "Afterwards, only the person's own sign-in can link them.",
    ...permittedTo("lti-platform:manage"),
    params: pathIds("university_id", "lti_platform_id", "lti_person_id"),
    ...noContent("Unlinked"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => people.unlinkPerson(deps.db, actor, params),
);

export const listLtiRefusedLaunches = endpoint(
  {
    id: "listLtiRefusedLaunches",
    method: "get",
    path: `${single}/refused-launches`,
    summary: "List rejected LTI launches",
    ...permittedTo("lti-platform:manage"),
    params,
    query: LtiRefusedLaunchQuery,
    ...ok(listOf(LtiRefusedLaunches), "Counts by day and reason, newest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => listRefusedLaunchCounts(deps.db, actor, params, query),
);

export const linkLtiPerson = endpoint(
  {
    id: "linkLtiPerson",
    method: "post",
    path: "/{university_id}/lti-people",
    summary: "Link the caller to an LMS",
    description: "Send the ticket of the launch. Links the LMS person to the caller's account.",
    ...signedInWithFullReach,
    params: university,
    body: LtiTicket,
    ...noContent("The LMS person is linked to the account"),
    fails: [400, 403, 404, 409],
  },
  ({ deps, http, actor, params, body }) =>
    people.linkOwnAccount(deps, actor, params.university_id, { ...body, keyOf: ticketCookieReader(http) }),
);

export const bindLtiContext = endpoint(
  {
    id: "bindLtiContext",
    method: "post",
    path: "/{university_id}/lti-contexts",
    summary: "Bind an LMS course",
    description:
      "Send the ticket of a launch from the course. Returns 409 with the bound offering if the course is " +
      "bound already.",
    ...permittedTo("offering:write"),
    params: university,
    body: LtiContextCreate,
    ...created(LtiContext, "The bound course"),
    fails: [400, 403, 404, 409],
  },
  ({ deps, http, actor, params, body }) =>
    bindContext(deps, actor, params.university_id, body, ticketCookieReader(http)),
);
