import { created, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { publicUrl } from "../../../lib/http/public-url.ts";
import { may, signedInWholly } from "../../../lib/identity/auth/guards.ts";
import { bindContext } from "../../../lib/integrations/lti/contexts.ts";
import * as deployments from "../../../lib/integrations/lti/deployments.ts";
import * as people from "../../../lib/integrations/lti/people.ts";
import * as platforms from "../../../lib/integrations/lti/platforms.ts";
import { listRefusedLaunches } from "../../../lib/integrations/lti/refused-launches.ts";
import { openRegistration } from "../../../lib/integrations/lti/registration.ts";
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
    summary: "List the LMSs that launch this service by LTI 1.3",
    ...may("lti-platform:manage"),
    params: university,
    query: LtiPlatformQuery,
    ...ok(listOf(LtiPlatform), "The platforms, in the order in which they were registered"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => platforms.listPlatforms(deps.db, actor, params.university_id, query),
);

export const createLtiPlatform = endpoint(
  {
    id: "createLtiPlatform",
    method: "post",
    path: all,
    summary: "Register an LMS that launches this service by LTI 1.3",
    description:
      "What the LMS shows once it knows the tool, whose own addresses are `/lti/{university_id}/login` (initiation of a " +
      "login), `/lti/{university_id}/launch` (redirect URI and target link) and `/lti/jwks` (public keys), beside the API and " +
      "outside its prefix. Issuer and client stay as they are: another is another platform.",
    ...may("lti-platform:manage", "lti-platform:trust-email"),
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
    summary: "Make a link with which an LMS registers itself",
    description:
      "For the LMS's own form, by Dynamic Registration of LTI: the LMS opens it, someone confirms there, and both know each " +
      "other. Whoever has the link may register one LMS within the hour, in the name of who made it; it is told once.",
    ...may("lti-platform:manage"),
    params: university,
    ...created(LtiRegistration, "The link"),
    fails: [403, 404],
  },
  async ({ deps, actor, params: { university_id }, http }) => {
    const { key, expires_at } = await openRegistration(deps, actor, university_id);
    const address = `${publicUrl(http, deps.config)}/lti/${university_id}/register`;
    return { registration_url: `${address}?key=${key}`, expires_at };
  },
);

export const updateLtiPlatform = endpoint(
  {
    id: "updateLtiPlatform",
    method: "put",
    path: single,
    summary: "Change a registered LMS",
    description:
      "With another address of its login, tokens or keys it is trusted no more with addresses of people, until a " +
      "platform_admin says so anew.",
    ...may("lti-platform:manage", "lti-platform:trust-email"),
    params,
    body: LtiPlatformUpdate,
    ...ok(LtiPlatform, "The changed platform"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) => platforms.updatePlatform(deps.db, deps.config, actor, params, body),
);

export const removeLtiPlatform = endpoint(
  {
    id: "removeLtiPlatform",
    method: "delete",
    path: single,
    summary: "Remove a registered LMS with its deployments",
    ...may("lti-platform:manage"),
    params,
    ...noContent("Removed: it launches nobody any more"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => platforms.removePlatform(deps.db, actor, params),
);

export const listLtiDeployments = endpoint(
  {
    id: "listLtiDeployments",
    method: "get",
    path: `${single}/deployments`,
    summary: "List the deployments of a registered LMS",
    description:
      "Those that were admitted, and those that wait: a deployment is noted by its first launch, twenty that wait at most.",
    ...may("lti-platform:manage"),
    params,
    query: LtiDeploymentQuery,
    ...ok(listOf(LtiDeployment), "The deployments, in the order in which they were heard of"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => deployments.listDeployments(deps.db, actor, params, query),
);

export const admitLtiDeployment = endpoint(
  {
    id: "admitLtiDeployment",
    method: "post",
    path: `${single}/deployments`,
    summary: "Admit a deployment of a registered LMS",
    description: "One that waits, or one that has yet to launch.",
    ...may("lti-platform:manage"),
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
    summary: "Remove a deployment of a registered LMS",
    ...may("lti-platform:manage"),
    params: pathIds("university_id", "lti_platform_id", "lti_deployment_id"),
    ...noContent("Removed; launched again, it waits"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => deployments.removeDeployment(deps.db, actor, params),
);

export const listLtiPeople = endpoint(
  {
    id: "listLtiPeople",
    method: "get",
    path: `${single}/people`,
    summary: "List whom a registered LMS knows",
    description: "Whoever was launched, or named by a roster, and whose account that is here.",
    ...may("lti-platform:manage"),
    params,
    query: LtiPersonQuery,
    ...ok(listOf(LtiPerson), "The people, who was launched last first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => people.listPeople(deps.db, actor, params, query),
);

export const unlinkLtiPerson = endpoint(
  {
    id: "unlinkLtiPerson",
    method: "delete",
    path: `${single}/people/{lti_person_id}`,
    summary: "Undo a wrong link of a person whom an LMS knows to an account",
    description:
      "What the LMS gave with it ends, and all tokens of the account do. From then on the person is linked by nothing but " +
      "their sign-in.",
    ...may("lti-platform:manage"),
    params: pathIds("university_id", "lti_platform_id", "lti_person_id"),
    ...noContent("No account is linked any more"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => people.unlinkPerson(deps.db, actor, params),
);

export const listLtiRefusedLaunches = endpoint(
  {
    id: "listLtiRefusedLaunches",
    method: "get",
    path: `${single}/refused-launches`,
    summary: "List how many launches of a registered LMS were refused, and why",
    ...may("lti-platform:manage"),
    params,
    query: LtiRefusedLaunchQuery,
    ...ok(listOf(LtiRefusedLaunches), "One for each day and reason, the newest first"),
    fails: [403, 404],
  },
  ({ deps, actor, params, query }) => listRefusedLaunches(deps.db, actor, params, query),
);

export const linkLtiPerson = endpoint(
  {
    id: "linkLtiPerson",
    method: "post",
    path: "/{university_id}/lti-people",
    summary: "Say that a launch from an LMS was one's own",
    description:
      "By the ticket of the launch: the LMS knows the caller's account from then on, as their sign-in says.",
    ...signedInWholly,
    params: university,
    body: LtiTicket,
    ...noContent("The LMS knows the account"),
    fails: [400, 403, 404, 409],
  },
  ({ deps, actor, params, body }) => people.linkOwnAccount(deps, actor, params.university_id, body.ticket),
);

export const bindLtiContext = endpoint(
  {
    id: "bindLtiContext",
    method: "post",
    path: "/{university_id}/lti-contexts",
    summary: "Bind the course of an LMS to an offering",
    description:
      "By the ticket of a launch from it. A course is bound once; a second time it is a 409, which says to what.",
    ...may("offering:write"),
    params: university,
    body: LtiContextCreate,
    ...created(LtiContext, "The bound course"),
    fails: [400, 403, 404, 409],
  },
  ({ deps, actor, params, body }) => bindContext(deps, actor, params.university_id, body),
);
