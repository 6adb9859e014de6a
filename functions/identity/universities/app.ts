import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { grantAccommodation, listAccommodations, withdrawAccommodation } from "./accommodations.ts";
import { getUniversityAnalytics } from "./analytics.ts";
import { adoptApiKey, createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import { decideDataRequest, exportDataRequest, listDataRequests, makeDataRequest } from "./data-requests.ts";
import {
  createUniversityDepartment,
  deleteUniversityDepartment,
  getUniversityDepartment,
  listUniversityDepartments,
  updateUniversityDepartment,
} from "./departments.ts";
import { listDirectoryGroups, listDirectoryRequests, mapDirectoryGroup } from "./directory-groups.ts";
import { addUniversityDomain, listUniversityDomains, removeUniversityDomain } from "./domains.ts";
import { listUniversityEvents } from "./events.ts";
import { listFinalGrades } from "./final-grades.ts";
import {
  changeOwnSamlKey,
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
  bindLtiContext,
  createLtiPlatform,
  linkLtiPerson,
  listLtiDeployments,
  listLtiPeople,
  listLtiPlatforms,
  listLtiRefusedLaunches,
  openLtiRegistration,
  removeLtiDeployment,
  removeLtiPlatform,
  unlinkLtiPerson,
  updateLtiPlatform,
} from "./lti-platforms.ts";
import {
  createLtiTool,
  listLtiTools,
  openLtiToolRegistration,
  removeLtiTool,
  updateLtiTool,
} from "./lti-tools.ts";
import { setUniversityMemberActive } from "./members.ts";
import { grantOffice, listOffices, revokeOffice } from "./offices.ts";
import {
  createOneRosterSource,
  listOneRosterSources,
  removeOneRosterSource,
  requestOneRosterSync,
} from "./one-roster-sources.ts";
import {
  countRetention,
  getRetention,
  listRetentionHolds,
  listRetentionRuns,
  placeRetentionHold,
  releaseRetentionHold,
  setRetention,
} from "./retention.ts";
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
  setUniversityLogo,
  updateUniversity,
} from "./universities.ts";

export const universities = createEndpointGroup("Universities", "/universities", [
  listUniversities,
  createUniversity,
  getUniversity,
  updateUniversity,
  setUniversityLogo,
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
  listDirectoryGroups,
  mapDirectoryGroup,
  listDirectoryRequests,
  listOffices,
  grantOffice,
  revokeOffice,
  listAccommodations,
  grantAccommodation,
  withdrawAccommodation,
  getRetention,
  setRetention,
  countRetention,
  listRetentionHolds,
  placeRetentionHold,
  releaseRetentionHold,
  listRetentionRuns,
  listDataRequests,
  makeDataRequest,
  decideDataRequest,
  exportDataRequest,
  listInvitations,
  createInvitation,
  sendInvitationAgain,
  revokeInvitation,
  listImports,
  startImport,
  getImport,
  listImportResults,
  listOneRosterSources,
  createOneRosterSource,
  removeOneRosterSource,
  requestOneRosterSync,
  listUniversityDomains,
  addUniversityDomain,
  removeUniversityDomain,
  listUniversityProviders,
  createUniversityProvider,
  updateUniversityProvider,
  grantProviderDomains,
  changeOwnSamlKey,
  removeUniversityProvider,
  listLtiPlatforms,
  createLtiPlatform,
  openLtiRegistration,
  updateLtiPlatform,
  removeLtiPlatform,
  listLtiDeployments,
  admitLtiDeployment,
  removeLtiDeployment,
  listLtiPeople,
  unlinkLtiPerson,
  listLtiRefusedLaunches,
  linkLtiPerson,
  bindLtiContext,
  listLtiTools,
  createLtiTool,
  updateLtiTool,
  removeLtiTool,
  openLtiToolRegistration,
  getUniversityAnalytics,
  listUniversityEvents,
  listFinalGrades,
  getTutorBudget,
  updateTutorBudget,
  grantTutorBudget,
]);
