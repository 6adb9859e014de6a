import { group } from "../../lib/http/endpoint.ts";
import { getUniversityAnalytics } from "./analytics.ts";
import { adoptApiKey, createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import {
  createUniversityDepartment,
  deleteUniversityDepartment,
  getUniversityDepartment,
  listUniversityDepartments,
  updateUniversityDepartment,
} from "./departments.ts";
import { addUniversityDomain, listUniversityDomains, removeUniversityDomain } from "./domains.ts";
import { listUniversityEvents } from "./events.ts";
import {
  createUniversityProvider,
  grantProviderDomains,
  listUniversityProviders,
  removeUniversityProvider,
  updateUniversityProvider,
} from "./identity-providers.ts";
import { getImport, listImportResults, listImports, startImport } from "./imports.ts";
import { createInvitation, listInvitations, revokeInvitation, sendInvitationAgain } from "./invitations.ts";
import {
  admitLtiDeployment,
  createLtiPlatform,
  listLtiDeployments,
  listLtiPlatforms,
  openLtiRegistration,
  removeLtiDeployment,
  removeLtiPlatform,
  updateLtiPlatform,
} from "./lti-platforms.ts";
import { setUniversityMemberActive } from "./members.ts";
import { grantUniversityRole, listUniversityRoles, revokeUniversityRole } from "./roles.ts";
import {
  createUniversityTerm,
  deleteUniversityTerm,
  getUniversityTerm,
  listUniversityTerms,
  updateUniversityTerm,
} from "./terms.ts";
import { getTutorBudget, grantTutorBudget, updateTutorBudget } from "./tutor-budget.ts";
import {
  createUniversity,
  deleteUniversity,
  getUniversity,
  listUniversities,
  updateUniversity,
} from "./universities.ts";

export const universities = group("Universities", "/universities", [
  listUniversities,
  createUniversity,
  getUniversity,
  updateUniversity,
  deleteUniversity,
  listUniversityDepartments,
  createUniversityDepartment,
  getUniversityDepartment,
  updateUniversityDepartment,
  deleteUniversityDepartment,
  listUniversityTerms,
  createUniversityTerm,
  getUniversityTerm,
  updateUniversityTerm,
  deleteUniversityTerm,
  listUniversityRoles,
  grantUniversityRole,
  revokeUniversityRole,
  setUniversityMemberActive,
  listApiKeys,
  createApiKey,
  adoptApiKey,
  revokeApiKey,
  listInvitations,
  createInvitation,
  sendInvitationAgain,
  revokeInvitation,
  listImports,
  startImport,
  getImport,
  listImportResults,
  listUniversityDomains,
  addUniversityDomain,
  removeUniversityDomain,
  listUniversityProviders,
  createUniversityProvider,
  updateUniversityProvider,
  grantProviderDomains,
  removeUniversityProvider,
  listLtiPlatforms,
  createLtiPlatform,
  openLtiRegistration,
  updateLtiPlatform,
  removeLtiPlatform,
  listLtiDeployments,
  admitLtiDeployment,
  removeLtiDeployment,
  getUniversityAnalytics,
  listUniversityEvents,
  getTutorBudget,
  updateTutorBudget,
  grantTutorBudget,
]);
