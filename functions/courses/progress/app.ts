import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import {
  listMyContentProgress,
  listMyModuleProgress,
  recordContentProgress,
  recordModuleProgress,
} from "./progress.ts";

export const progress = createEndpointGroup("Progress", "/progress", [
  listMyModuleProgress,
  recordModuleProgress,
  listMyContentProgress,
  recordContentProgress,
]);
