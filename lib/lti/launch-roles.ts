/** What someone whom an LMS launches is in a course here. */
export type LaunchedRole = "student" | "ta" | "instructor";

const vocabulary = "http://purl.imsglobal.org/vocab/lis/v2/";

/** A role of a context as its principal and, of a sub-role, the name within: also by its bare name, as LTI 1.1 spelled it. */
function roleOfContext(role: string): { principal: string; sub?: string } | undefined {
  if (/^[A-Za-z]+$/.test(role)) return { principal: role };
  const [, principal, name] =
    /^http:\/\/purl\.imsglobal\.org\/vocab\/lis\/v2\/membership(?:\/([A-Za-z]+))?#([A-Za-z]+)$/.exec(role) ??
    [];
  if (name === undefined) return undefined;
  return principal === undefined ? { principal: name } : { principal, sub: name };
}

/**
 * What the roles of a launch make of someone (LTI Core 1.3, A.2). Those of the context count, others only where there is
 * none: then students of the institution learn, and its staff teach where the platform is believed of that. Undefined for
 * whoever is nothing here, such as an administrator of the LMS.
 */
export function launchedRole(
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
