import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import {
  createFeatureRequest,
  listFeatureRequests,
  listMyFeatureRequests,
  updateFeatureRequest,
} from "./feature-requests.ts";

export const featureRequests = createEndpointGroup("Feature requests", "/feature-requests", [
  createFeatureRequest,
  listMyFeatureRequests,
  listFeatureRequests,
  updateFeatureRequest,
]);
