import type { ComponentType } from "preact";

/** The screens of those who administer, each with what loads it: this list comes with the first of them. */
export const screens = {
  AdministrationScreen: async () => (await import("./universities.tsx")).AdministrationScreen,
  NewUniversityScreen: async () => (await import("./new-university.tsx")).NewUniversityScreen,
  AuditScreen: async () => (await import("./audit.tsx")).AuditScreen,
  CredentialsScreen: async () => (await import("./credentials.tsx")).CredentialsScreen,
  PeopleScreen: async () => (await import("./people.tsx")).PeopleScreen,
  RolesScreen: async () => (await import("./roles.tsx")).RolesScreen,
  DepartmentsScreen: async () => (await import("./departments.tsx")).DepartmentsScreen,
  InvitationsScreen: async () => (await import("./invitations.tsx")).InvitationsScreen,
  UniversitySettingsScreen: async () => (await import("./university-settings.tsx")).UniversitySettingsScreen,
  ImportsScreen: async () => (await import("./imports.tsx")).ImportsScreen,
  TermsScreen: async () => (await import("./terms.tsx")).TermsScreen,
  BudgetScreen: async () => (await import("./budget.tsx")).BudgetScreen,
  OfficesScreen: async () => (await import("./offices.tsx")).OfficesScreen,
  AccommodationsScreen: async () => (await import("./accommodations.tsx")).AccommodationsScreen,
  RetentionScreen: async () => (await import("./retention.tsx")).RetentionScreen,
  DataRequestsScreen: async () => (await import("./data-requests.tsx")).DataRequestsScreen,
  ApiKeysScreen: async () => (await import("./api-keys.tsx")).ApiKeysScreen,
  DirectoryScreen: async () => (await import("./directory.tsx")).DirectoryScreen,
  DomainsScreen: async () => (await import("./domains.tsx")).DomainsScreen,
  IdentityProvidersScreen: async () => (await import("./identity-providers.tsx")).IdentityProvidersScreen,
} satisfies Record<string, () => Promise<ComponentType<never>>>;
