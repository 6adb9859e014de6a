import type { ComponentType } from "preact";

/** The administration screens, each loaded on demand. This list itself loads with the first one. */
export const screens = {
  AdministeredUniversitiesScreen: async () =>
    (await import("./universities.tsx")).AdministeredUniversitiesScreen,
  NewUniversityScreen: async () => (await import("./new-university.tsx")).NewUniversityScreen,
  AuditScreen: async () => (await import("./audit.tsx")).AuditScreen,
  LlmCredentialsScreen: async () => (await import("./credentials.tsx")).LlmCredentialsScreen,
  UniversityAdministrationDashboard: async () =>
    (await import("./university-dashboard.tsx")).UniversityAdministrationDashboard,
  PersonScreen: async () => (await import("./person.tsx")).PersonScreen,
  PeopleScreen: async () => (await import("./people.tsx")).PeopleScreen,
  RoleAssignmentsScreen: async () => (await import("./roles.tsx")).RoleAssignmentsScreen,
  DepartmentsScreen: async () => (await import("./departments.tsx")).DepartmentsScreen,
  InvitationsScreen: async () => (await import("./invitations.tsx")).InvitationsScreen,
  UniversitySettingsScreen: async () => (await import("./university-settings.tsx")).UniversitySettingsScreen,
  PeopleImportsScreen: async () => (await import("./people-imports.tsx")).PeopleImportsScreen,
  TermsScreen: async () => (await import("./terms.tsx")).TermsScreen,
  LlmBudgetScreen: async () => (await import("./budget.tsx")).LlmBudgetScreen,
  GrantExtraPermissionsScreen: async () =>
    (await import("./extra-permissions.tsx")).GrantExtraPermissionsScreen,
  AccommodationsScreen: async () => (await import("./accommodations.tsx")).AccommodationsScreen,
  RetentionPolicyAndHoldsScreen: async () => (await import("./retention.tsx")).RetentionPolicyAndHoldsScreen,
  PersonalDataRequestsScreen: async () => (await import("./data-requests.tsx")).PersonalDataRequestsScreen,
  ApiKeysScreen: async () => (await import("./api-keys.tsx")).ApiKeysScreen,
  ScimGroupRolesScreen: async () => (await import("./scim-group-roles.tsx")).ScimGroupRolesScreen,
  EmailDomainsScreen: async () => (await import("./domains.tsx")).EmailDomainsScreen,
  IdentityProvidersScreen: async () => (await import("./identity-providers.tsx")).IdentityProvidersScreen,
  SubjectsScreen: async () => (await import("./subjects.tsx")).SubjectsScreen,
  SubjectDomainsScreen: async () => (await import("./subject-domains.tsx")).SubjectDomainsScreen,
  ContentTypesScreen: async () => (await import("./content-types.tsx")).ContentTypesScreen,
  PlatformModuleTemplatesScreen: async () => (await import("./templates.tsx")).PlatformModuleTemplatesScreen,
  UniversityModuleTemplatesScreen: async () =>
    (await import("./templates.tsx")).UniversityModuleTemplatesScreen,
} satisfies Record<string, () => Promise<ComponentType<never>>>;
