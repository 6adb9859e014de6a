import { dataOf, type Schemas } from "learning-platform-client";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type QueryHookResult, useQuery } from "./query.tsx";
import { isAuthorRole } from "./role-checks.ts";
import { apiClient, draftStore, sendCookiesOption, tokenStore } from "./service.ts";
import { t } from "./texts.ts";

export type CurrentUser = {
  profile: Schemas["Profile"];
  roles: Schemas["OwnRole"][];
};

type Session = { isSignedIn: boolean; person: QueryHookResult<CurrentUser | undefined> };

const SessionContext = createContext<Session | undefined>(undefined);

/** The current user. Follows sign-in and sign-out in this and other tabs. */
export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [isSignedIn, setSignedIn] = useState(tokenStore.read() !== undefined);
  useEffect(() => tokenStore.onChange(() => setSignedIn(tokenStore.read() !== undefined)), []);
  const person = useQuery(async (signal) => (isSignedIn ? readPerson(signal) : undefined), [isSignedIn]);
  return <SessionContext.Provider value={{ isSignedIn, person }}>{children}</SessionContext.Provider>;
}

async function readPerson(signal: AbortSignal): Promise<CurrentUser> {
  const [profile, roles] = await Promise.all([
    dataOf(apiClient.getMyProfile({ params: { query: { looks: true } }, signal })),
    dataOf(apiClient.listMyRoles({ signal })),
  ]);
  // LTI staff roles are left out: the LMS opens those offerings itself.
  return { profile, roles: roles.filter(({ offering_id }) => offering_id === null) };
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no session around this component");
  return session;
}

/** The current user, for screens that require a sign-in. */
export function useCurrentUser(): CurrentUser {
  const { value } = useSession().person;
  if (!value) throw new Error("Nobody is signed in");
  return value;
}

export const isStaffRole = ({ role }: Schemas["OwnRole"]): boolean => role !== "STUDENT";
const administers = ({ role }: Schemas["OwnRole"]): boolean =>
  role === "UNIVERSITY_ADMIN" || role === "PLATFORM_ADMIN";

export const hasStaffRole = ({ roles }: CurrentUser): boolean => roles.some(isStaffRole);
export const hasAuthorRole = ({ roles }: CurrentUser): boolean => roles.some(isAuthorRole);
export const canSeeAdministration = ({ roles }: CurrentUser): boolean =>
  roles.some((held) => administers(held) || held.role === "DEPARTMENT_ADMIN");
/** Administrators of the platform, a university or a department. */
export const canSeeReports = canSeeAdministration;
/** The route of the person's first screen, by their highest role. Learners have the empty one. */
export const startScreenRouteOf = (person: CurrentUser): "administration" | "teaching" | "" =>
  canSeeAdministration(person) ? "administration" : hasStaffRole(person) ? "teaching" : "";
/** Instructors beyond a single course: may use prompts, feature requests and new courses. */
export const isInstructorBeyondOneCourse = ({ roles }: CurrentUser): boolean =>
  roles.some((held) => isAuthorRole(held) && held.course_id === null);
export const isPlatformAdmin = ({ roles }: CurrentUser): boolean =>
  roles.some(({ role }) => role === "PLATFORM_ADMIN");

export async function signIn(credentials: Schemas["Credentials"]): Promise<void> {
  tokenStore.write(await dataOf(apiClient.login({ body: credentials, ...sendCookiesOption })));
}

/** Work before an explicit sign-out, such as saving answers. */
const lastDeeds = new Set<() => Promise<unknown>>();

export const registerWorkBeforeSignOut = (deed: () => Promise<unknown>): void => void lastDeeds.add(deed);

/** Wait limit for that work, in milliseconds: the service may be unreachable. */
const lastDeedsMs = 3000;

/**
 * Signs out, after running `end`. `logoutEverywhere` also ends other sessions. Asks if there are drafts,
 * which are deleted.
 */
export async function signOut({ profile }: CurrentUser, end?: () => Promise<unknown>): Promise<void> {
  const deeds = Promise.allSettled([...lastDeeds].map((deed) => deed()));
  await Promise.race([deeds, new Promise((resolve) => setTimeout(resolve, lastDeedsMs))]);
  const n = draftStore.count(profile.id);
  if (n > 0 && !confirm(t("drafts.sign.out", { n }))) return;
  await end?.();
  draftStore.removeAll(profile.id);
  tokenStore.write(undefined);
  // Clears the cookies that the sign-in set. Offline they stay, and authenticate no request.
  apiClient.logout(sendCookiesOption).catch(() => {});
}
