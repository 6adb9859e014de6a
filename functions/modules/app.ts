import { group } from "../../lib/http/endpoint.ts";
import {
  createModule,
  deleteModule,
  getModule,
  listCourseModules,
  listModuleChildren,
  listRootModules,
  reorderModules,
  updateModule,
} from "./modules.ts";

export const modules = group("Modules", "/modules", [
  listCourseModules,
  listRootModules,
  createModule,
  reorderModules,
  getModule,
  listModuleChildren,
  updateModule,
  deleteModule,
]);
