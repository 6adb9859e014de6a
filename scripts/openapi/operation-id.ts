import type { Contract, Group } from "../../lib/http/endpoint.ts";

/** Names for operations that the rule below would name badly. */
const givenNames: Record<string, string> = {
  "post /auth/check-email": "checkEmail",
  "post /auth/register": "register",
  "post /auth/register-with-onboarding": "registerWithOnboarding",
  "post /auth/login": "login",
  "post /auth/refresh": "refreshTokens",
  "post /auth/logout": "logout",
  "get /auth/oidc/providers": "listIdentityProviders",
  "get /auth/oidc/{provider}/login": "beginProviderLogin",
  "get /auth/oidc/{provider}/callback": "finishProviderLogin",
  "get /users/me": "getMyProfile",
  "put /users/me": "updateMyProfile",
  "get /users/me/overview": "getMyOverview",
  "post /modules/reorder": "reorderModules",
  "post /content/reorder": "reorderContent",
  "get /modules/courses/{course_id}/modules/root": "listRootModules",
  "get /progress/modules/my-progress": "listMyModuleProgress",
  "get /progress/content/my-progress": "listMyContentProgress",
  "post /progress/modules": "recordModuleProgress",
  "post /progress/content": "recordContentProgress",
  "post /chat/sessions/{session_id}/messages": "sendChatMessage",
  "post /chat/sessions/{session_id}/greeting": "greetChatSession",
  "post /chat/sessions/{session_id}/share": "shareChatSession",
  "delete /chat/sessions/{session_id}/share": "unshareChatSession",
  "get /chat/share/{share_token}": "getSharedChatSession",
  "get /prompts": "listPrompts",
  "get /prompts/labels": "listPromptLabels",
  "get /prompts/names": "listPromptNames",
  "get /prompts/link-options": "listPromptLinkOptions",
  "post /prompts/preview": "previewPrompt",
  "get /prompts/{prompt_name}/versions": "listPromptVersions",
  "get /feature-requests": "listMyFeatureRequests",
  "get /feature-requests/all": "listFeatureRequests",
  "post /admin/cloud-credentials": "storeCloudCredentials",
  "delete /admin/cloud-credentials": "deleteCloudCredentials",
  "get /admin/cloud-credentials/status": "getCloudCredentialsStatus",
  "post /admin/cloud-credentials/test": "testCloudCredentials",
  "get /healthz": "checkHealth",
  "get /readyz": "checkReadiness",
};

/**
 * An operation's name in client libraries, such as `listCourseOfferings` or `updateCourse`: what is done, and the
 * words of the path, those before a parameter in the singular.
 */
export function operationId(group: Group, contract: Contract): string {
  const path = `${group.mount}${contract.path}`.replace(/\/$/, "");
  const given = givenNames[`${contract.method} ${path}`];
  if (given) return given;
  const steps = path.split("/").slice(1);
  const creates = contract.method === "post";
  const words = steps.flatMap((step, at) => {
    if (isParameter(step) || isRepeated(step, steps.slice(at + 1))) return [];
    const isOne = isParameter(steps[at + 1]) || (creates && at === steps.length - 1);
    return [pascalCase(isOne ? singular(step) : step)];
  });
  return verbOf(contract) + words.join("");
}

function verbOf({ method, answer }: Contract): string {
  if (method === "get") return answer.schema?.type === "array" ? "list" : "get";
  return { post: "create", put: "update", patch: "update", delete: "delete" }[method];
}

const isParameter = (step: string | undefined): boolean => step?.startsWith("{") ?? false;

/** The group's own word adds nothing where a later step says it again: `/enrollments/my-enrollments`. */
const isRepeated = (step: string, later: readonly string[]): boolean =>
  later.some((other) => other.split("-").includes(step));

const singular = (noun: string): string => noun.replace(/ies$/, "y").replace(/s$/, "");

const pascalCase = (words: string): string =>
  words.replaceAll(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase());
