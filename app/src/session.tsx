import { dataOf, type Schemas } from "learning-platform-client";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { type Reading, useReading } from "./reading.tsx";
import { authorsBy } from "./rights.ts";
import { api, tokens } from "./service.ts";

export type Person = {
  profile: Schemas["Profile"];
  roles: Schemas["OwnRole"][];
};

type Session = { isSignedIn: boolean; person: Reading<Person | undefined> };

const SessionContext = createContext<Session | undefined>(undefined);

/** Knows who is signed in; begins and ends with the tokens, in this tab or in another. */
export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [isSignedIn, setSignedIn] = useState(tokens.read() !== undefined);
  useEffect(() => tokens.onChange(() => setSignedIn(tokens.read() !== undefined)), []);
  const person = useReading(async (signal) => (isSignedIn ? readPerson(signal) : undefined), [isSignedIn]);
  return <SessionContext.Provider value={{ isSignedIn, person }}>{children}</SessionContext.Provider>;
}

async function readPerson(signal: AbortSignal): Promise<Person> {
  const [profile, roles] = await Promise.all([
    dataOf(api.getMyProfile({ signal })),
    dataOf(api.listMyRoles({ signal })),
  ]);
  return { profile, roles };
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no session around this component");
  return session;
}

/** Whoever is signed in; for screens that are shown to nobody else. */
export function usePerson(): Person {
  const { value } = useSession().person;
  if (!value) throw new Error("Nobody is signed in");
  return value;
}

export const isStaff = ({ role }: Schemas["OwnRole"]): boolean => role !== "STUDENT";
const administers = ({ role }: Schemas["OwnRole"]): boolean =>
  role === "UNIVERSITY_ADMIN" || role === "PLATFORM_ADMIN";

export const teaches = ({ roles }: Person): boolean => roles.some(isStaff);
export const authors = ({ roles }: Person): boolean => roles.some(authorsBy);
export const seesReports = ({ roles }: Person): boolean => roles.some(administers);
export const seesAdministration = ({ roles }: Person): boolean =>
  roles.some((held) => administers(held) || held.role === "DEPARTMENT_ADMIN");
/** Whoever is an instructor of more than a course of their own: for them are prompts, requests and new courses. */
export const instructs = ({ roles }: Person): boolean =>
  roles.some((held) => authorsBy(held) && held.course_id === null);
export const isPlatformAdmin = ({ roles }: Person): boolean =>
  roles.some(({ role }) => role === "PLATFORM_ADMIN");

export async function signIn(credentials: Schemas["Credentials"]): Promise<void> {
  tokens.write(await dataOf(api.login({ body: credentials })));
}

/** Ends the sign-in here; the tokens that others may hold end with `logoutEverywhere`. */
export function signOut(): void {
  tokens.write(undefined);
}
