import { group } from "../../../lib/http/endpoint.ts";
import {
  createFeatureRequest,
  listFeatureRequests,
  listMyFeatureRequests,
  updateFeatureRequest,
} from "./feature-requests.ts";

export const featureRequests = group("Feature requests", "/feature-requests", [
  createFeatureRequest,
  listMyFeatureRequests,
  listFeatureRequests,
  updateFeatureRequest,
]);
