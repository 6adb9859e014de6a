import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import {
  getAdminAnalyticsAssessments,
  getAdminAnalyticsCache,
  getAdminAnalyticsCommunity,
  getAdminAnalyticsEngagement,
  getAdminAnalyticsOverview,
  getAdminAnalyticsProgress,
  getAdminAnalyticsTutor,
} from "./analytics.ts";
import { getAudit } from "./audit.ts";
import {
  deleteCloudCredentials,
  getCloudCredentialsStatus,
  storeCloudCredentials,
  testCloudCredentials,
} from "./cloud-credentials.ts";
import {
  createPlatformLtiTool,
  listPlatformLtiTools,
  openPlatformLtiToolRegistration,
  removePlatformLtiTool,
  updatePlatformLtiTool,
} from "./lti-tools.ts";

export const admin = createEndpointGroup("Administration", "/admin", [
  storeCloudCredentials,
  getCloudCredentialsStatus,
  testCloudCredentials,
  deleteCloudCredentials,
  getAdminAnalyticsOverview,
  getAdminAnalyticsEngagement,
  getAdminAnalyticsProgress,
  getAdminAnalyticsAssessments,
  getAdminAnalyticsCache,
  getAdminAnalyticsTutor,
  getAdminAnalyticsCommunity,
  getAudit,
  listPlatformLtiTools,
  createPlatformLtiTool,
  updatePlatformLtiTool,
  removePlatformLtiTool,
  openPlatformLtiToolRegistration,
]);
