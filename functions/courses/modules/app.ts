import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { copyModule } from "./copies.ts";
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
import { changeCourseOutline } from "./outline-changes.ts";

export const modules = createEndpointGroup("Modules", "/modules", [
  listCourseModules,
  listRootModules,
  changeCourseOutline,
  createModule,
  reorderModules,
  getModule,
  listModuleChildren,
  updateModule,
  deleteModule,
  copyModule,
]);
