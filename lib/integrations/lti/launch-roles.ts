export type LaunchedRole = "student" | "ta" | "instructor";

const vocabulary = "http://purl.imsglobal.org/vocab/lis/v2/";

/** Principal and optional sub-role; also the bare names of LTI 1.1. */
function roleOfContext(role: string): { principal: string; sub?: string } | undefined {
  if (/^[A-Za-z]+$/.test(role)) return { principal: role };
  const [, principal, name] =
    /^http:\/\/purl\.imsglobal\.org\/vocab\/lis\/v2\/membership(?:\/([A-Za-z]+))?#([A-Za-z]+)$/.exec(role) ??
    [];
  if (name === undefined) return undefined;
  return principal === undefined ? { principal: name } : { principal, sub: name };
}

/**
 * The course role that a launch's roles grant (LTI Core 1.3, A.2). Context roles count first. Without any,
 * students of the institution are students; its staff teach if the platform is trusted for that. Undefined
 * without a role here, such as an LMS administrator.
 */
export function mapLaunchRolesToCourseRole(
  roles: readonly string[],
  staffByInstitutionRole: boolean,
): LaunchedRole | undefined {
  const there = roles.map(roleOfContext).filter((role) => role !== undefined);
  if (there.length > 0) return roleThere(there);
  const has = (...names: string[]) =>
    names.some((name) => roles.includes(`${vocabulary}institution/person#${name}`));
  if (staffByInstitutionRole && has("Instructor", "Faculty", "Staff")) return "instructor";
  return has("Student", "Learner") ? "student" : undefined;
}

function roleThere(roles: readonly { principal: string; sub?: string }[]): LaunchedRole | undefined {
  const subs = roles.filter(({ principal, sub }) => principal === "Instructor" && sub).map(({ sub }) => sub);
  const develops = roles.some(({ principal }) => principal === "ContentDeveloper");
  if (develops || roles.some(({ principal }) => principal === "Instructor")) {
    const assists = subs.length > 0 && subs.every((sub) => sub === "TeachingAssistant");
    return assists && !develops ? "ta" : "instructor";
  }
  return roles.some(({ principal }) => principal === "Learner") ? "student" : undefined;
}
