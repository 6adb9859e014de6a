import { group } from "../../../lib/http/endpoint.ts";
import {
  listMyContentProgress,
  listMyModuleProgress,
  recordContentProgress,
  recordModuleProgress,
} from "./progress.ts";

export const progress = group("Progress", "/progress", [
  listMyModuleProgress,
  recordModuleProgress,
  listMyContentProgress,
  recordContentProgress,
]);
