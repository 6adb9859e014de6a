import type { Role } from "../../../schema/enums.ts";
import type { DemonstrationEmail } from "../../../server/demonstration-emails.ts";

export type DemoAccount = { email: DemonstrationEmail; name: string; role: Role; timeZone?: string };

export const demoPassword = "learn-together";

export const peopleOfNorthgate: readonly DemoAccount[] = [
  { email: "priya@northgate.example", name: "Priya Raman", role: "platform_admin" },
  { email: "edwin@northgate.example", name: "Edwin Osei", role: "university_admin" },
  { email: "helena@northgate.example", name: "Helena Brandt", role: "instructor" },
  { email: "kofi@northgate.example", name: "Kofi Mensah", role: "ta" },
  { email: "mina@northgate.example", name: "Mina Park", role: "student", timeZone: "Asia/Seoul" },
  { email: "noor@northgate.example", name: "Noor Haddad", role: "student" },
];

export const peopleOfEstrecho: readonly DemoAccount[] = [
  { email: "lucia@estrecho.example", name: "Lucía Romero", role: "instructor" },
];

/** Demo accounts, each with a role in one demo university. */
export const demoAccounts = [...peopleOfNorthgate, ...peopleOfEstrecho];

export const demoAdministrator = { email: "priya@northgate.example", password: demoPassword };
export const demoInstructor = { email: "helena@northgate.example", password: demoPassword };
export const demoRegistrar = { email: "edwin@northgate.example", password: demoPassword };
export const demoStudent = { email: "mina@northgate.example", password: demoPassword };
